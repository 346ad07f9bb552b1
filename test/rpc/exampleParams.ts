/**
 * One request of each method on the scene, the `@example` of its comment: the test of every method sends them, and so do the pages of
 * the documentation and the fuzzer.
 */
import type { Provider } from '../../src/index.ts'
import examples from './examples.json' with { type: 'json' }
import { type Scene, sign, tokenCall, UNKNOWN } from './scene.ts'

/** Each method by the first of its names. */
export const METHOD_NAMES: readonly string[] = Object.keys(examples)

/** The values that `$NAME` stands for in an example. */
async function valuesOf({ chain, accounts, token, probe, first, second, waiting }: Scene) {
  const [alice, bob, carol] = accounts
  return {
    $alice: alice!,
    $bob: bob!,
    $carol: carol!,
    /** An account that no other request uses. */
    $nobody: `0x${'ee'.repeat(20)}`,
    $token: token,
    $probe: probe,
    $block: first.block.hash,
    $rawBlock: await chain.standard.request({ method: 'debug_getRawBlock', params: ['0x2'] }),
    $transaction: first.block.transactions[0]!.hash,
    $tokenTransfer: second.block.transactions[0]!.hash,
    $waiting: waiting,
    $unknown: UNKNOWN,
    /** A signed transaction. */
    $raw: await sign(chain, 6, { nonce: 0, to: alice! }),
    /** Calls of the token. */
    $transfer: tokenCall('transfer', [alice, 1n]),
    $payment: tokenCall('transfer', [bob, 4n]),
    $stateFile: await chain.standard.request({ method: 'anvil_dumpState' }),
  }
}

/** The params of one request of each method, by its first name. They name filter 0x1 and a batch of calls, which this makes. */
export async function exampleParams(
  scene: Scene,
  provider: Provider,
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const values = await valuesOf(scene)
  await provider.request({ method: 'eth_newFilter', params: [{}] })
  const batch = { method: 'wallet_sendCalls', params: fill(examples.wallet_sendCalls, values) }
  const { id } = (await provider.request(batch)) as { readonly id: string }
  return fill(examples, { ...values, $batch: id }) as Record<string, readonly unknown[]>
}

/** A copy of an example with the values of the scene in place of their names. */
function fill(example: unknown, values: Readonly<Record<string, string>>): unknown {
  if (typeof example === 'string') {
    if (example.startsWith('$') && !Object.hasOwn(values, example)) throw new Error(`no value of ${example}`)
    return values[example] ?? example
  }
  if (Array.isArray(example)) return example.map((item) => fill(item, values))
  if (typeof example !== 'object' || example === null) return example
  const entries = Object.entries(example).map(([key, value]) => [values[key] ?? key, fill(value, values)])
  return Object.fromEntries(entries)
}
