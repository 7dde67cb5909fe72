"""Small private helpers below everything else."""
