/* petrel replay alone, for tests that need no other part of petrel. */
#include "agent/ctl/replay.h"

int main(int argc, char **argv)
{
	return replay_main(argc, argv);
}
