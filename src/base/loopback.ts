/** Whether a host name means this machine on every host; IPv6 addresses are in brackets. */
export function isLoopback(hostname: string): boolean {
  return /^(?:(?:[^.]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}
