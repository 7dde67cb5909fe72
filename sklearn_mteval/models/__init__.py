"""Ready experiments and what a trained model is asked for."""
