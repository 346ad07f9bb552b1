/** Errors of `preseal/playwright`: errors for pages have a code, errors for the test have none. */
import { PresealError, PresealRpcError } from '../../base/errors.ts'

/** The test, one of its hooks or the wallet rejected a prompt, as a user would (EIP-1193, code 4001). */
export class UserRejectedError extends PresealRpcError {
  override name = 'UserRejectedError'
  constructor(method: string) {
    super(4001, `the user rejected the request ${method}`)
  }
}

/**
 * A prompt was rejected because neither the wallet nor the test answered it within its timeout (EIP-1193, code 4001).
 */
export class PromptTimeoutError extends PresealRpcError {
  override name = 'PromptTimeoutError'
  constructor(method: string, timeoutMs: number) {
    super(4001, `the prompt for ${method} was not answered within ${timeoutMs} ms`)
  }
}

/** The wallet has no account to connect a page to (EIP-1193, code 4100). */
export class NoWalletAccountError extends PresealRpcError {
  override name = 'NoWalletAccountError'
  constructor() {
    super(4100, 'the wallet has no account: expected a chain with accounts')
  }
}

/** The wallet cannot answer, since the test has added no node for the selected chain (EIP-1193, code 4901). */
export class ChainNotServedError extends PresealRpcError {
  override name = 'ChainNotServedError'
  constructor(chainId: number) {
    super(
      4901,
      `the wallet is on chain ${chainId}, which has no node: expected a chain passed to wallet.addChain`,
    )
  }
}

/** A page's request needs an account, but its origin is not connected to the wallet (EIP-1193, code 4100). */
export class NotConnectedError extends PresealRpcError {
  override name = 'NotConnectedError'
  constructor() {
    super(4100, 'not connected: expected eth_requestAccounts first')
  }
}

/**
 * A page uses a method that neither real nodes nor wallets have, or, at `rpcUrl`, a method that real nodes do not have
 * (EIP-1193, code 4200).
 */
export class MethodNotOfferedError extends PresealRpcError {
  override name = 'MethodNotOfferedError'
  constructor(method: string) {
    super(4200, `pages cannot use ${method}: expected a call in the test, or walletOptions: { cheats: true }`)
  }
}

/** A page names the URL of a node to fork, to which the test's process would connect. */
export class PageForkUrlError extends PresealRpcError {
  override name = 'PageForkUrlError'
  constructor() {
    super(-32602, 'pages cannot name the URL of a node to fork: expected a call in the test')
  }
}

/** The test answered a prompt that is no longer open. */
export class PromptEndedError extends PresealError {
  override name = 'PromptEndedError'
  constructor(method: string, reason: string) {
    super(`the prompt for ${method} is not open: ${reason}`)
  }
}

/** No prompt opened while a test waited for one. */
export class NoPromptError extends PresealError {
  override name = 'NoPromptError'
  /** @param method - the method waited for; undefined for any */
  constructor(method: string | undefined, reason: string) {
    super(`no prompt${method === undefined ? '' : ` for ${method}`} opened ${reason}`)
  }
}

/** A failed test left prompts open; reported in addition to the test's error. */
export class PromptsOpenError extends PresealError {
  override name = 'PromptsOpenError'
  constructor(methods: readonly string[]) {
    const subject = methods.length === 1 ? '1 prompt was' : `${methods.length} prompts were`
    super(`${subject} open when the test ended: ${methods.join(', ')}`)
  }
}

/** A test called `wallet.rejectNext` for prompts that did not open. */
export class RejectionsLeftError extends PresealError {
  override name = 'RejectionsLeftError'
  /** @param opened - the methods for which prompts have opened */
  constructor(methods: readonly (string | undefined)[], opened: readonly string[]) {
    const subject = methods.length === 1 ? '1 rejection was' : `${methods.length} rejections were`
    const calls = methods.map((method) => `wallet.rejectNext(${method === undefined ? '' : `'${method}'`})`)
    const prompts = opened.length === 0 ? 'no prompt opened' : `prompts opened for ${opened.join(', ')}`
    super(`${subject} not used when the test ended: ${calls.join(', ')}; ${prompts}`)
  }
}

/** A failed test was waiting for pages to advance with the manual clock; reported in addition to the test's error. */
export class PagesStuckError extends PresealError {
  override name = 'PagesStuckError'
  /** @param urls - the URLs of all pages that were advanced */
  constructor(ms: number, urls: readonly string[]) {
    super(
      `chain.advance(${ms}) was waiting for pages when the test ended: expected none in an endless loop or with an open dialog, of ${urls.join(', ')}`,
    )
  }
}

/** A failed test of `preseal/playwright` left transactions waiting; reported in addition to the test's error. */
export class TransactionsLeftError extends PresealError {
  override name = 'TransactionsLeftError'
  /** @param elapsedMs - by how much the manual clock moved during the test; undefined for other clocks */
  constructor(count: number, what: 'a tick' | 'the seal', expected: string, elapsedMs: number | undefined) {
    const subject = count === 1 ? '1 transaction was' : `${count} transactions were`
    const clock = elapsedMs === undefined ? '' : `; the manual clock was advanced by ${elapsedMs} ms`
    super(`${subject} waiting for ${what} when the test ended${clock}; expected await ${expected}`)
  }
}

/** The sources of `preseal/playwright` were used without a build. Only the build makes the script for pages. */
export class WalletScriptError extends PresealError {
  override name = 'WalletScriptError'
  constructor() {
    super('the script of the wallet is missing: expected the built package')
  }
}
