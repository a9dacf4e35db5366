"""What papers that test a judge report beside tau: its card, and the statistics on it."""
