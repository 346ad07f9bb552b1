/**
 * The documents of one browser context.
 *
 * Owns: the links to the documents, by frame. Does not own what the wallet permits them.
 */
import type { Frame, Page } from '@playwright/test'
import { DocumentLink } from './documentLink.ts'
import { confirmOrigin } from './origins.ts'
import type { Prompts } from './prompts.ts'
import type { FromDocument, Hello } from './protocol.ts'
import type { WalletState } from './walletState.ts'

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
