/* Stands for ssh.exe in a test under Wine. Its last argument, the command for the host, goes to a port of this machine, where
   the test starts it; standard input and output are then those of the command. */
#include <winsock2.h>
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static SOCKET link_to_test;

static DWORD WINAPI carry_input(LPVOID unused)
{
    char buffer[65536];
    DWORD length;
    HANDLE input = GetStdHandle(STD_INPUT_HANDLE);
    (void)unused;
    while (ReadFile(input, buffer, sizeof buffer, &length, NULL) && length > 0)
        if (send(link_to_test, buffer, (int)length, 0) != (int)length)
            break;
    shutdown(link_to_test, SD_SEND);
    return 0;
}

int main(int count, char **words)
{
    char buffer[65536];
    int length;
    DWORD written;
    WSADATA data;
    struct sockaddr_in address = {0};
    const char *port = getenv("IOBOUND_TEST_SSH_PORT");

    if (count < 2 || port == NULL || WSAStartup(MAKEWORD(2, 2), &data) != 0) {
        fprintf(stderr, "no port is given\n");
        return 255;
    }
    address.sin_family = AF_INET;
    address.sin_port = htons((u_short)atoi(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    link_to_test = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(link_to_test, (struct sockaddr *)&address, sizeof address) != 0) {
        fprintf(stderr, "Connection refused\n");
        return 255;
    }
    send(link_to_test, words[count - 1], (int)strlen(words[count - 1]), 0);
    send(link_to_test, "\n", 1, 0);
    CreateThread(NULL, 0, carry_input, NULL, 0, NULL);
    while ((length = recv(link_to_test, buffer, sizeof buffer, 0)) > 0)
        if (!WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), buffer, (DWORD)length, &written, NULL))
            break;
    ExitProcess(0);
}
