"""What is drawn and written of trees."""
