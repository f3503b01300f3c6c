"""Writing trained models as ONNX: fp32, int8 for CPU, fp16 for GPU. Needs torch; nothing at run time does."""
