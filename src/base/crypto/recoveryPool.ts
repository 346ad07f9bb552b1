/**
 * Workers that recover public keys, on every host that has workers.
 *
 * Owns: the workers, shared by the chains of a realm and terminated with the last of them. They never keep a process
 * alive. If one cannot be started, or stops, only the caller of its requests learns of it, and recovers the keys itself.
 */
import { moduleOfNode } from '../nodeModule.ts'
import { ANSWER_SIZE, REQUEST_SIZE } from './recoveryMessages.ts'
import { RECOVERY_SCRIPT } from './recoveryScript.ts'

/** The most workers of a pool. */
const MAX_WORKERS = 4

/** A worker that recovers public keys. */
export interface RecoveryWorker {
  /** Whether requests can be sent; false until it has started, and once it has stopped. */
  readonly isReady: boolean
  /** The requests that are not answered yet. */
  readonly pending: number
  /**
   * Sends a request; see `recoveryMessages.ts`.
   *
   * @param done - receives the answer, or undefined if the worker stopped.
   */
  send(request: Uint8Array<ArrayBuffer>, done: (answer: Uint8Array | undefined) => void): void
}

/** The workers that a chain uses. */
export interface RecoveryPool {
  readonly workers: readonly RecoveryWorker[]
  /** Ends the use; the workers are terminated with the last one. Resolves once they are. */
  release(): Promise<void>
}

/** A worker of the host, with the differences between hosts removed. */
interface HostWorker {
  post(message: Uint8Array<ArrayBuffer>): void
  terminate(): unknown
}

interface Listener {
  onMessage(data: unknown): void
  /** May be called several times. */
  onFailure(): void
}

type StartWorker = (script: string, listener: Listener) => HostWorker

class Worker implements RecoveryWorker {
  isReady = false
  readonly #waiting: { readonly size: number; readonly done: (answer: Uint8Array | undefined) => void }[] = []
  readonly #host: HostWorker
  readonly #onStart: (started: boolean) => void
  #started = false
  #ended = false

  /** @param onStart - receives whether it has started; called at most once. */
  constructor(
    start: StartWorker,
    script: string,
    binary: Uint8Array<ArrayBuffer>,
    onStart: (started: boolean) => void,
  ) {
    this.#onStart = onStart
    this.#host = start(script, {
      onMessage: (data) => this.#receive(data),
      onFailure: () => this.#fail(),
    })
    this.#host.post(binary)
  }

  get pending(): number {
    return this.#waiting.length
  }

  send(request: Uint8Array<ArrayBuffer>, done: (answer: Uint8Array | undefined) => void): void {
    this.#waiting.push({ size: (request.length / REQUEST_SIZE) * ANSWER_SIZE, done })
    this.#host.post(request)
  }

  async end(): Promise<void> {
    this.isReady = false
    const waiting = this.#waiting.splice(0)
    for (const { done } of waiting) done(undefined)
    if (this.#ended) return
    this.#ended = true
    await this.#host.terminate()
  }

  #receive(data: unknown): void {
    if (this.#ended) return
    if (data === true && !this.#started) {
      this.isReady = true
      this.#started = true
      this.#onStart(true)
    } else if (ArrayBuffer.isView(data) && data.byteLength === this.#waiting[0]?.size) {
      this.#waiting.shift()!.done(data as Uint8Array)
    } else this.#fail()
  }

  #fail(): void {
    if (!this.#started && !this.#ended) this.#onStart(false)
    void this.end()
  }
}

interface Host {
  readonly navigator?: { readonly hardwareConcurrency?: number }
  readonly Worker?: new (url: string, options: { readonly name: string }) => WebWorker
  readonly Blob?: new (parts: readonly string[], options: { readonly type: string }) => unknown
  readonly URL?: { createObjectURL?(blob: unknown): string; revokeObjectURL(url: string): void }
}

interface WebWorker {
  onmessage: (event: { readonly data: unknown }) => void
  onmessageerror: () => void
  onerror: (event: { preventDefault(): void }) => void
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void
  terminate(): void
}

interface NodeWorkers {
  readonly Worker: new (
    script: string,
    options: { readonly eval: true; readonly name: string; readonly execArgv: []; readonly env: object },
  ) => NodeWorker
}

interface NodeWorker {
  on(event: 'message' | 'messageerror' | 'error' | 'exit', listener: (value: unknown) => void): void
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void
  terminate(): Promise<number>
  unref(): void
}

const host = globalThis as unknown as Host
const NAME = 'preseal'

/** The most threads that run at once, this one included; 1 if the host does not say. */
function countCores(): number {
  const os = moduleOfNode<{ availableParallelism?(): number }>('os')
  return os?.availableParallelism?.() ?? host.navigator?.hardwareConcurrency ?? 1
}

function startOnNode({ Worker }: NodeWorkers, script: string, listener: Listener): HostWorker {
  // Neither the options of this process nor NODE_OPTIONS, which may load modules first.
  const worker = new Worker(script, { eval: true, name: NAME, execArgv: [], env: {} })
  worker.on('message', listener.onMessage)
  for (const event of ['messageerror', 'error', 'exit'] as const) worker.on(event, listener.onFailure)
  worker.unref()
  return {
    post: (message) => worker.postMessage(message, [message.buffer]),
    terminate: () => worker.terminate(),
  }
}

function startInPage(script: string, listener: Listener): HostWorker {
  const url = host.URL!.createObjectURL!(new host.Blob!([script], { type: 'text/javascript' }))
  const revoke = () => host.URL!.revokeObjectURL(url)
  try {
    const worker = new host.Worker!(url, { name: NAME })
    worker.onmessage = ({ data }) => {
      revoke()
      listener.onMessage(data)
    }
    worker.onmessageerror = listener.onFailure
    worker.onerror = (event) => {
      event.preventDefault()
      revoke()
      listener.onFailure()
    }
    return {
      post: (message) => worker.postMessage(message, [message.buffer]),
      terminate: () => worker.terminate(),
    }
  } catch (error) {
    revoke()
    throw error
  }
}

/** How this host starts workers; undefined if it has none. */
function findStart(): StartWorker | undefined {
  const threads = moduleOfNode<NodeWorkers>('worker_threads')
  if (threads !== undefined) return (script, listener) => startOnNode(threads, script, listener)
  return host.Worker && host.Blob && host.URL?.createObjectURL ? startInPage : undefined
}

/** The scripts that the host refused to start, as by a Content-Security-Policy: it is not tried again. */
const refused = new Set<string>()

/** The workers of a script, and the number of chains that use them. */
class SharedPool {
  readonly workers: Worker[] = []
  readonly #script: string
  readonly #binary: () => Uint8Array<ArrayBuffer>
  #holders = 0

  constructor(script: string, binary: () => Uint8Array<ArrayBuffer>) {
    this.#script = script
    this.#binary = binary
    const start = refused.has(script) ? undefined : findStart()
    const most = start === undefined ? 0 : Math.min(countCores() - 1, MAX_WORKERS)
    // The others follow the first one, so that a host that refuses reports it once.
    if (most > 0) this.#startOne(start!, most - 1)
  }

  hold(): void {
    this.#holders += 1
  }

  /** @returns whether it was the last use. */
  release(): boolean {
    this.#holders -= 1
    return this.#holders === 0
  }

  #startOne(start: StartWorker, others: number): void {
    const onStart = (started: boolean): void => {
      if (!started) refused.add(this.#script)
      else if (this.#holders > 0) for (let i = 0; i < others; i++) this.#startOne(start, 0)
    }
    try {
      this.workers.push(new Worker(start, this.#script, this.#binary(), onStart))
    } catch {
      // As by Node's permissions, or for lack of memory.
      refused.add(this.#script)
    }
  }
}

/** By script; in a built package there is one. */
const pools = new Map<string, SharedPool>()

/**
 * Begins a use of the workers, which start with the first one; until they are ready, nothing can be sent.
 *
 * @param binary - makes a copy of secp256k1 in WebAssembly for a worker.
 * @param script - the text of the workers, for tests.
 * @returns a pool without workers if the host has none or refuses them, or has only one core.
 */
export function usePool(
  binary: () => Uint8Array<ArrayBuffer>,
  script: string | undefined = RECOVERY_SCRIPT,
): RecoveryPool {
  if (script === undefined) return { workers: [], release: async () => {} }
  const pool = pools.get(script) ?? new SharedPool(script, binary)
  pools.set(script, pool)
  pool.hold()
  return {
    workers: pool.workers,
    async release() {
      if (!pool.release()) return
      pools.delete(script)
      await Promise.all(pool.workers.map((worker) => worker.end()))
    },
  }
}
