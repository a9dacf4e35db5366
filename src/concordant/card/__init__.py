"""What papers that test a judge report beside tau: how far both sides agree on each pair of systems."""
