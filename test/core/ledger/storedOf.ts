/** What a chain must find in its database when it starts again. */

import { hexToBytes } from '../../../src/base/bytes.ts'
import type { Hex, PresealChain } from '../../../src/index.ts'

/** What a database keeps: the canonical blocks, and the state at the head. */
export async function storedOf(chain: PresealChain): Promise<unknown> {
  const ask = (method: string, ...params: unknown[]) => chain.standard.request({ method, params })
  const head = Number(await ask('eth_blockNumber'))
  const blocks = Array.from({ length: head + 1 }, (_, number) =>
    ask('eth_getBlockByNumber', `0x${number.toString(16)}`, false),
  )
  const file = hexToBytes((await ask('anvil_dumpState')) as Hex)
  const json = new Blob([file]).stream().pipeThrough(new DecompressionStream('gzip'))
  const { accounts } = (await new Response(json).json()) as { readonly accounts: unknown }
  return { blocks: await Promise.all(blocks), accounts: sorted(accounts) }
}

/** The same value with the fields of objects by name: a state that was read has another order than one that was built. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(fields.map(([name, one]) => [name, sorted(one)]))
}
