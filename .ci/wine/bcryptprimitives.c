/* Wine 8 of Debian has no bcryptprimitives.dll, from which Rust's standard library takes random numbers. Every Windows since
   8 has it. CI builds this one with mingw and puts it beside the program that it tries; nothing of it is shipped. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length)
{
    return SystemFunction036(buffer, (ULONG)length);
}
