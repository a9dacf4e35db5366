"""Smaller collections: which topics to keep, and how well they rank what they were not chosen on."""
