/** The forked chain, if any: the URL of a node and a block, which are remembered across reloads. */
import type { Provider } from 'preseal'
import { connectChain, type RemoteChain, type RemoteChainOptions } from 'preseal/worker'
import { find, setText } from './dom.ts'
import { count } from './format.ts'

const KEY = 'fork'
/** The database of the node's answers. */
const CACHE = 'preseal playground fork'

interface Chosen {
  readonly url: string
  readonly block: string
}

const chosen = readChosen(localStorage.getItem(KEY))

/** @returns undefined if nothing was chosen, or if this page did not store the text. */
function readChosen(stored: string | null): Chosen | undefined {
  try {
    const { url, block } = (JSON.parse(stored ?? 'null') ?? {}) as Partial<Record<keyof Chosen, unknown>>
    return typeof url === 'string' && typeof block === 'string' ? { url, block } : undefined
  } catch {
    return undefined
  }
}

/** A chain, and the reason if it is no fork although one was chosen. */
interface Connected {
  readonly chain: RemoteChain
  readonly isFork: boolean
  readonly failure?: Error
}

/** Connects to the chosen fork; without one, or if it cannot be started, to a new chain with these options. */
export async function connectChosen(
  worker: Worker,
  { database, ...shared }: RemoteChainOptions,
): Promise<Connected> {
  const alone = () => connectChain(worker, { options: { ...shared, database } })
  if (chosen === undefined) return { chain: await alone(), isFork: false }
  const { url, block } = chosen
  const at = (/^\d+$/.test(block) ? BigInt(block) : block) as bigint | 'latest'
  try {
    const fork = { url, block: at, cache: CACHE, timeout: 10_000 }
    return { chain: await connectChain(worker, { options: { ...shared, fork } }), isFork: true }
  } catch (error) {
    return { chain: await alone(), isFork: false, failure: error as Error }
  }
}

/**
 * Shows the forked chain, and enables the form.
 *
 * @param close - closes the chain, so that the page can be loaded again.
 * @param onError - called if that fails.
 */
export async function startForking(
  { isFork, failure }: Connected,
  provider: Provider,
  close: () => Promise<void>,
  onError: (error: unknown) => void,
): Promise<void> {
  const form = find('#fork', HTMLFormElement)
  const url = find('#fork-url', HTMLInputElement)
  const block = find('#fork-block', HTMLInputElement)
  const start = find('#start-fork', HTMLButtonElement)
  const stop = find('#stop-fork', HTMLButtonElement)
  const line = find('#forked', HTMLElement)
  const restart = async (next: Chosen | undefined) => {
    start.disabled = true
    stop.disabled = true
    try {
      await close()
      if (next === undefined) localStorage.removeItem(KEY)
      else localStorage.setItem(KEY, JSON.stringify(next))
      location.reload()
    } catch (error) {
      onError(error)
    }
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void restart({ url: url.value, block: block.value })
  })
  stop.addEventListener('click', () => void restart(undefined))
  if (chosen !== undefined) {
    url.value = chosen.url
    block.value = chosen.block
    find('#forking', HTMLDetailsElement).open = failure !== undefined
  }
  if (failure !== undefined) {
    setText(line, `The chain is no fork: ${failure.message}`)
    line.toggleAttribute('data-failed', true)
  }
  if (isFork) {
    const { forkedNetwork } = (await provider.request({ method: 'anvil_metadata' })) as {
      readonly forkedNetwork: { readonly chainId: number; readonly forkBlockNumber: number }
    }
    const { chainId, forkBlockNumber } = forkedNetwork
    setText(
      line,
      `The chain is a fork of chain ${chainId} at block ${count(forkBlockNumber)}. Signatures are valid on both.`,
    )
  }
  start.disabled = false
  stop.disabled = chosen === undefined
}
