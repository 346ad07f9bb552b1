/** The origins of documents, as the browser sees them. Owns nothing. */
import type { Frame } from '@playwright/test'
import { OPAQUE_ORIGIN } from './protocol.ts'

/**
 * The origin of the document that a frame has now. The document's statement is compared with what the browser knows: the URL
 * of the frame or, for `about:blank` and `srcdoc`, which have the origin of their creator, its parents and its opener. A
 * statement that nothing confirms counts as an opaque origin.
 *
 * @param originOf - the origin of the document in a frame; undefined if that has no wallet.
 */
export async function confirmOrigin(
  frame: Frame,
  stated: string,
  originOf: (frame: Frame) => string | undefined,
): Promise<string> {
  // A document in a sandbox has an opaque origin, whatever its URL is.
  if (stated === OPAQUE_ORIGIN) return OPAQUE_ORIGIN
  const own = originOfUrl(frame.url())
  if (own !== undefined) return own === stated ? own : OPAQUE_ORIGIN
  for (let parent = frame.parentFrame(); parent !== null; parent = parent.parentFrame())
    if (originOf(parent) === stated) return stated
  const opener = await frame.page().opener()
  const isOpeners = opener?.frames().some((one) => originOf(one) === stated)
  return isOpeners ? stated : OPAQUE_ORIGIN
}

/** The origin of a URL; undefined if its document has the origin of its creator. */
function originOfUrl(url: string): string | undefined {
  if (url === '' || /^about:/i.test(url)) return undefined
  const { origin, protocol, host } = new URL(url)
  // URLs of extensions have an origin, which Node does not state.
  return origin === 'null' && host !== '' ? `${protocol}//${host}` : origin
}
