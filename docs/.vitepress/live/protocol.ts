/** The messages between a page and the worker that runs its code. */

/** From the page: the code to run, in TypeScript; one message per worker. */
export interface RunRequest {
  readonly source: string
}

/** How a line of the output looks. */
export type OutputKind = 'text' | 'warning' | 'error'

/** From the worker. */
export type RunEvent =
  | { readonly type: 'started' }
  | { readonly type: 'output'; readonly kind: OutputKind; readonly text: string }
  | { readonly type: 'ended' }

/** What a run tells the page. */
export interface RunListener {
  onOutput(kind: OutputKind, text: string): void
  /** Called once, unless the run was stopped. */
  onEnd(): void
}

/** Starts a run. @returns stops it, without a call of `onEnd`. */
export type Run = (source: string, listener: RunListener) => () => void
