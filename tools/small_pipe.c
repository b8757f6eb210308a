// Preloaded by tools/find_flaky: every pipe holds one page, so writers block and readers get parts of lines.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

static int shrink(int result, const int fds[2]) {
  if (result == 0) {
    fcntl(fds[1], F_SETPIPE_SZ, 4096);
  }
  return result;
}

int pipe2(int fds[2], int flags) {
  int (*real)(int[2], int) = (int (*)(int[2], int))dlsym(RTLD_NEXT, "pipe2");
  return shrink(real(fds, flags), fds);
}

int pipe(int fds[2]) { return pipe2(fds, 0); }
