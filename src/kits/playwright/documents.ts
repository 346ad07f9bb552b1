/**
 * The documents of one browser context.
 *
 * Owns: the links to the documents, by frame. Does not own what the wallet permits them.
 */

import type { Frame, Page } from '@playwright/test'
import { DocumentLink } from './documentLink.ts'
import type { Prompts } from './prompts.ts'
import { type FromDocument, type Hello, OPAQUE_ORIGIN } from './protocol.ts'
import type { WalletState } from './walletRequests.ts'

/** See the file's header. */
export class Documents {
  readonly #state: WalletState
  readonly #prompts: Prompts
  readonly #cheats: boolean
  readonly #links = new Map<Frame, DocumentLink>()
  /** When the last document of a frame has its link, if it gets one: its origin may take a while to confirm. */
  readonly #greeted = new WeakMap<Frame, Promise<void>>()
  #ended = false

  constructor(state: WalletState, prompts: Prompts, { cheats }: { readonly cheats: boolean }) {
    this.#state = state
    this.#prompts = prompts
    this.#cheats = cheats
  }

  /** Links the document that a frame has now; the link to the one before ends. */
  greet(frame: Frame, hello: FromDocument & Hello): Promise<void> {
    const before = this.#greeted.get(frame)
    const confirming = confirmOrigin(frame, hello.origin, (one) => this.#links.get(one)?.origin)
    const greeted = (async () => {
      const origin = await confirming
      await before
      this.#link(frame, hello.document, origin)
    })()
    this.#greeted.set(frame, greeted)
    return greeted
  }

  /** The link to a document of a frame; undefined if it has gone, or was never greeted. */
  async linkOf(frame: Frame, document: string): Promise<DocumentLink | undefined> {
    await this.#greeted.get(frame)
    const link = this.#links.get(frame)
    return link?.id === document ? link : undefined
  }

  /** Ends the links to a frame's documents, or to those of a page. */
  endOf(of: Frame | Page, reason: string): void {
    for (const [frame, link] of this.#links) {
      if (frame !== of && frame.page() !== of) continue
      this.#links.delete(frame)
      this.#end(link, reason)
    }
  }

  /** Ends all links: their documents get `disconnect`, and later requests 4900. */
  end(reason: string): void {
    this.#ended = true
    for (const link of this.#links.values()) this.#end(link, reason)
    this.#links.clear()
  }

  #link(frame: Frame, document: string, origin: string): void {
    if (this.#ended || frame.isDetached() || frame.page().isClosed()) return
    const existing = this.#links.get(frame)
    if (existing !== undefined) this.#end(existing, 'its page navigated')
    const link = new DocumentLink({ id: document, frame, origin, cheats: this.#cheats })
    this.#links.set(frame, link)
    this.#state.attach(link)
  }

  #end(link: DocumentLink, reason: string): void {
    this.#state.detach(link)
    this.#prompts.end(reason, link.frame)
    link.end()
  }
}

// The origins of documents, as the browser sees them. Owns nothing.

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
