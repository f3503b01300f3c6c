"""Models that read dialogue. Needs numpy, onnxruntime and tokenizers, nothing else."""
