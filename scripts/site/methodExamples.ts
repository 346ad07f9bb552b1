/** A request of each method and its answer, made by sending it to a chain that is the same at every run. */

import { PresealRpcError } from '../../src/base/errors.ts'
import { createChain, createManualClock, type Provider, type ViewKind } from '../../src/index.ts'
import { isDevMethod } from '../../test/rpc/devMethods.ts'
import { exampleParams } from '../../test/rpc/exampleParams.ts'
import { canWait } from '../../test/rpc/randomRequests.ts'
import { buildScene, SCENE_OPTIONS } from '../../test/rpc/scene.ts'

/** The answer of one view, as JSON-RPC has it. */
export type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

/** A request, and its answers; a single one if both views answer alike. */
export interface Example {
  readonly params: readonly unknown[]
  readonly standard: Answer
  readonly preconf: Answer
}

/** A view of a chain that answers the examples. */
async function startView(view: ViewKind) {
  const options = { mining: 'manual', clock: createManualClock(), ...SCENE_OPTIONS } as const
  const chain = await createChain(options)
  const scene = await buildScene(Object.assign(chain, { finish: () => chain.close() }))
  const provider: Provider = chain[view]
  const params = await exampleParams(scene, provider)
  const snapshot = await chain.snapshot()
  return {
    chain,
    async ask(name: string): Promise<{ readonly params: readonly unknown[]; readonly answer: Answer }> {
      await chain.revert(snapshot)
      const request = { method: name, params: params[name]! }
      // They wait for the block.
      if (canWait(request)) chain.once('transaction', () => void chain.seal())
      return { params: request.params, answer: await answerOf(provider, request) }
    },
  }
}

async function answerOf(
  provider: Provider,
  request: { method: string; params: readonly unknown[] },
): Promise<Answer> {
  try {
    return { result: withoutRandom(await provider.request(request)) }
  } catch (error) {
    if (!(error instanceof PresealRpcError)) throw error
    const { code, message, data } = error
    return { error: { code, message, ...(data !== undefined && { data }) } }
  }
}

/** An answer without the field that differs at every run: the pages are the same for the same sources. */
function withoutRandom(result: unknown): unknown {
  const isObject = typeof result === 'object' && result !== null && 'instanceId' in result
  return isObject ? { ...result, instanceId: '0x… (32 random bytes)' } : result
}

/** Sends the example request of each method to both views. */
export async function runExamples(names: readonly string[]): Promise<ReadonlyMap<string, Example>> {
  const examples = new Map<string, Example>()
  const ask = async (name: string, views: Views) => {
    const { params, answer: standard } = await views.standard.ask(name)
    const { answer: preconf } = await views.preconf.ask(name)
    examples.set(name, { params, standard, preconf })
  }
  // Snapshots cover neither the mining mode nor the permissions of connections.
  const isOfChain = (name: string) => !isDevMethod(name) && !name.startsWith('wallet_')
  const shared = await startViews()
  for (const name of names.filter(isOfChain)) await ask(name, shared)
  await closeViews(shared)
  for (const name of names.filter((one) => !isOfChain(one))) {
    const own = await startViews()
    await ask(name, own)
    await closeViews(own)
  }
  return examples
}

type Views = Readonly<Record<ViewKind, Awaited<ReturnType<typeof startView>>>>

const startViews = async (): Promise<Views> => ({
  standard: await startView('standard'),
  preconf: await startView('preconf'),
})

async function closeViews({ standard, preconf }: Views): Promise<void> {
  await Promise.all([standard.chain.close(), preconf.chain.close()])
}

/** The most characters of a string that a page shows, and the most items of an array; one if they are long themselves. */
const MAX_CHARACTERS = 140
const MAX_ITEMS = 3
const SHOWN_ITEMS = 2
const LONG_ITEMS = 1200

/** A value as a page shows it: long strings and arrays are replaced by their beginning and their length. */
export function shorten(value: unknown): unknown {
  if (typeof value === 'string' && value.length > MAX_CHARACTERS) {
    const isHex = /^0x[0-9a-f]*$/.test(value)
    const size = isHex ? `${(value.length / 2 - 1).toLocaleString('en')} bytes` : `${value.length} characters`
    return `${value.slice(0, 66)}… (${size})`
  }
  if (Array.isArray(value)) {
    const items = value.map(shorten)
    const areLong = JSON.stringify(items).length > LONG_ITEMS
    if (items.length <= (areLong ? 1 : MAX_ITEMS)) return items
    const shown = areLong ? 1 : SHOWN_ITEMS
    return [...items.slice(0, shown), `… ${(items.length - shown).toLocaleString('en')} more`]
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(entries.map(([key, one]) => [key, shorten(one)]))
}
