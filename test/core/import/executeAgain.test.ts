/** Blocks of an exported chain, which are executed again. */
import { RLP } from '@ethereumjs/rlp'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/bytes.ts'
import { createChain, ImportError, ReplayError } from '../../../src/index.ts'
import { startChain, viemOn } from '../../harness.ts'

type Fields = [header: Uint8Array[], transactions: Uint8Array[], ...rest: unknown[]]

const flip = (value: Uint8Array) => value.map((byte, i) => (i === 0 ? byte ^ 1 : byte))

const header =
  (index: number, change: (value: Uint8Array) => Uint8Array) =>
  ([fields, ...rest]: Fields): Fields => [
    fields.map((field, i) => (i === index ? change(field) : field)),
    ...rest,
  ]

const transactions =
  (change: (list: Uint8Array[]) => Uint8Array[]) =>
  ([fields, list, ...rest]: Fields): Fields => [fields, change(list), ...rest]

/** An exported chain of three blocks; the last one has two transactions. */
async function exportChain() {
  const chain = await startChain()
  const { wallet } = viemOn(chain)
  const send = (nonce: number) =>
    wallet(0).sendTransaction({
      to: chain.accounts[2]!.address,
      value: 1n,
      gas: 21_000n,
      nonce,
      maxFeePerGas: 2_000_000_000n,
      maxPriorityFeePerGas: 1n,
    })
  await chain.seal()
  await chain.seal()
  await send(0)
  await send(1)
  await chain.seal()
  return chain.export()
}

describe('an exported chain whose last block was tampered with', () => {
  it.each<[string, (block: Fields) => Fields, string]>([
    ['state root', header(3, flip), 'its stateRoot does not match its execution'],
    ['receipt root', header(5, flip), 'its receiptsRoot does not match its execution'],
    ['gas used', header(10, flip), 'its gasUsed does not match its execution'],
    [
      'missing transaction',
      transactions((list) => list.slice(0, -1)),
      'its stateRoot does not match its execution',
    ],
    [
      'order of transactions',
      transactions((list) => list.toReversed()),
      'its transaction 0 is invalid (nonce too high)',
    ],
    [
      'malformed transaction',
      transactions((list) => [Uint8Array.of(2, 0xc0), ...list]),
      'its transaction 0 is invalid (rlp: ',
    ],
  ])('is refused: %s', async (_, change, problem) => {
    const exported = await exportChain()
    const blocks: Uint8Array[] = []
    for (let rest = hexToBytes(exported.blocks); rest.length > 0; ) {
      const { data, remainder } = RLP.decode(rest, true)
      blocks.push(RLP.encode(blocks.length === 2 ? (change(data as Fields as never) as never) : data))
      rest = remainder
    }
    const tampered = {
      ...exported,
      blocks: bytesToHex(Uint8Array.from(blocks.flatMap((block) => [...block]))),
    }
    const error = await createChain(tampered as never).catch((refused: unknown) => refused)
    expect(error).toBeInstanceOf(ImportError)
    expect((error as ImportError).message).toContain(`block 3 cannot be imported: ${problem}`)
    expect((error as ImportError).cause).toBeInstanceOf(ReplayError)
  })
})
