"""Running exported models: ONNX sessions and text generation."""
