/** How refusals are counted: by the reason that a test expects and the reason given. */

/**
 * The expected reasons and the one given, without its hashes and numbers.
 *
 * @param exceptions - the test's names of the reasons, separated by `|`.
 */
export function refusalKind(exceptions: string, message: string): string {
  const kind = message.replace(/0x[0-9a-f]+/g, '0x…').replace(/\d{2,}/g, 'N')
  return `refused for ${exceptions}: ${kind}`
}
