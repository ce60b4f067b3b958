// The driver of the benches that returns at once.
#include "../../../benches/shim/stub.c"
