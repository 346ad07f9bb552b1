/** Whether every resolver maps a host name to this machine; IPv6 in brackets. */
export function isLoopback(hostname: string): boolean {
  return /^(?:(?:[^.]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}
