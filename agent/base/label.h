/* The label of a chassis: serial number and MAC, as firmware and platform code
 * report them.
 */
#pragma once

#define LABEL_SERIAL_MAX 64u	/* with its NUL; longer ones are refused */
#define LABEL_MAC_MAX 18u	/* 02:00:00:70:65:74, with its NUL */

/* The serial number without blanks around it; "" for NULL, and for vendors'
 * placeholders for a missing one.
 */
void label_serial(const char *text, char ret[static LABEL_SERIAL_MAX]);
/* Six octets in lower case with colons; "" if not a MAC, or not unique. */
void label_mac(const char *text, char ret[static LABEL_MAC_MAX]);
