#include <clang/AST/Decl.h>
