// A library that somebody else preloads.
int cleave_test_nothing(void) { return 0; }
