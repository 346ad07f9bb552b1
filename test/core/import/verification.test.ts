/** Imports with `verify`: each block is executed by @ethereumjs too. */

import { describe, expect, it, onTestFinished } from 'vitest'
import { concatBytes, hexToBytes } from '../../../src/base/bytes.ts'
import { mapResult } from '../../../src/base/waiting.ts'
import { assembleChain } from '../../../src/chain/chain.ts'
import type { ChainParts } from '../../../src/core/open/core.ts'
import { NonceTooHighError } from '../../../src/ethereum/errors.ts'
import type { Executed } from '../../../src/ethereum/evm/executor.ts'
import {
  type ChainOptions,
  createManualClock,
  ImportError,
  InvalidOptionError,
  type PresealChain,
  VerificationError,
} from '../../../src/index.ts'
import { exposeChain } from '../../../src/kits/worker/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { connectThrough } from '../../kits/worker/support.ts'
import { ask } from '../../rpc/scene.ts'
import { dump } from '../sequencer/support.ts'

const VERIFY = { verify: 'ethereumjs' } as const
const START = 1_700_000_000_000
/** Returns its code, which a creation deploys. */
const CREATION = '0x6001600c60003960016000f300'

/** Parts of a chain whose executor changes what it executes while it is on. */
function altering(alter: (executed: Executed) => Executed): ChainParts & { isOn: boolean } {
  const alteration = { isOn: true }
  const executor: ChainParts['executor'] = (own) => ({
    ...own,
    execute: (...args) =>
      mapResult(own.execute(...args), (executed) => (alteration.isOn ? alter(executed) : executed)),
  })
  return Object.assign(alteration, { executor })
}

const start = (parts?: ChainParts, options?: ChainOptions): Promise<TestChain> =>
  startChain({ clock: createManualClock(START), ...options }, parts)

/** Seals a block with a creation and a transfer. @returns its RLP. */
async function seal(chain: PresealChain): Promise<Uint8Array> {
  const [from, to] = chain.accounts.map(({ address }) => address)
  const send = (fields: object) =>
    chain.preconf.request({ method: 'eth_sendTransaction', params: [{ from, gas: '0x186a0', ...fields }] })
  await send({ data: CREATION })
  await send({ to, value: '0x1' })
  const { block } = await chain.seal()
  return hexToBytes(await chain.standard.request({ method: 'debug_getRawBlock', params: [block.number] }))
}

const changeIncluded =
  (change: Partial<Executed['outcome'] & { readonly kind: 'included' }>) =>
  ({ outcome, overlay }: Executed): Executed => ({
    outcome: outcome.kind === 'included' ? { ...outcome, ...change } : outcome,
    overlay,
  })

describe('an import with verify', () => {
  it('has the same result as one without', async () => {
    const maker = await start()
    const blocks = [await seal(maker), await seal(maker)]
    const [plain, verified] = [await start(), await start()]
    const expected = await plain.importBlocks(concatBytes(...blocks))
    expect(expected.block.number).toBe('0x2')
    expect(await verified.importBlocks(concatBytes(...blocks), VERIFY)).toEqual(expected)
    expect(await dump(verified)).toEqual(await dump(plain))
  })

  it.each<[string, (executed: Executed) => Executed, string]>([
    [
      'a field of a receipt that the header does not commit to',
      changeIncluded({ contractAddress: `0x${'ab'.repeat(20)}` }),
      `the contractAddress of receipt 0 is 0x${'ab'.repeat(20)}, for @ethereumjs 0x5fbdb2315678afecb367f032d93f642f64180aa3`,
    ],
    [
      'the gas of a transaction',
      changeIncluded({ gasUsed: 21_001n }),
      'it is invalid (its gasUsed does not match its execution), for @ethereumjs it is valid',
    ],
    [
      'whether a transaction may be included',
      ({ overlay }) => ({
        outcome: { kind: 'rejected', error: new NonceTooHighError(), retryable: true },
        overlay,
      }),
      'it is invalid (transaction 0: nonce too high), for @ethereumjs it is valid',
    ],
  ])('fails if the executions differ in %s, and changes nothing', async (_name, alter, difference) => {
    const maker = await start()
    const blocks = [await seal(maker), await seal(maker)]
    const parts = altering(alter)
    const chain = await start(parts)
    const before = await dump(chain)
    const error = await chain.importBlocks(concatBytes(...blocks), VERIFY).catch((reason: Error) => reason)
    expect(error).toBeInstanceOf(VerificationError)
    expect(error).toMatchObject({
      blockNumber: 1n,
      message: `block 1 is executed differently by @ethereumjs: ${difference}`,
    })
    expect(await dump(chain)).toEqual(before)
    parts.isOn = false
    await chain.importBlocks(blocks[0]!, VERIFY)
    parts.isOn = true
    await expect(chain.importBlocks(blocks[1]!, VERIFY)).rejects.toMatchObject({ blockNumber: 2n })
    parts.isOn = false
    expect((await chain.importBlocks(blocks[1]!, VERIFY)).block.number).toBe('0x2')
  })

  it('fails if a block is valid for the chain alone', async () => {
    // Its blocks have the roots of its own executions.
    const parts = altering(({ outcome, overlay }) => {
      overlay.addBalance(`0x${'0a'.repeat(20)}`, 1n)
      return { outcome, overlay }
    })
    const options = { clock: createManualClock(START), mining: 'manual' } as const
    const [maker, chain] = [await assembleChain(options, parts), await start(parts)]
    onTestFinished(() => maker.close())
    const block = await seal(maker)
    const problem = 'it is valid, for @ethereumjs it is invalid (its stateRoot does not match its execution)'
    const { message } = new VerificationError(1n, problem)
    await expect(chain.importBlocks(block, VERIFY)).rejects.toMatchObject({ blockNumber: 1n, message })
  })

  it('refuses what both find invalid as one without does', async () => {
    const maker = await start()
    const block = await seal(maker)
    // The last byte of the state root, and a byte of a transaction.
    for (const at of [3 + 33 + 33 + 21 + 33, block.length - 40]) {
      const changed = block.map((byte, i) => (i === at ? byte ^ 1 : byte))
      const chain = await start()
      const plain = await chain.importBlocks(changed).catch((reason: Error) => reason)
      const verified = await chain.importBlocks(changed, VERIFY).catch((reason: Error) => reason)
      expect(plain).toBeInstanceOf(ImportError)
      expect(verified).toEqual(plain)
    }
  })

  it.each([
    [{ verify: 'geth' }, new InvalidOptionError('verify', "'ethereumjs'")],
    [{ verify: true }, new InvalidOptionError('verify', "'ethereumjs'")],
    [{ check: 'ethereumjs' }, new InvalidOptionError('check', 'one of verify')],
    [null, new InvalidOptionError('options', 'an object')],
  ])('rejects the options %j', async (options, error) => {
    const chain = await start()
    await expect(chain.importBlocks(new Uint8Array(0), options as never)).rejects.toEqual(error)
  })

  it.each(['preseal', 'ethereumjs'] as const)(
    'is executed by %s as engine of the chain first',
    async (engine) => {
      const maker = await start()
      const block = await seal(maker)
      const parts = altering(changeIncluded({ gasUsed: 21_001n }))
      const chain = await start(parts, { engine })
      await expect(chain.importBlocks(block, VERIFY)).rejects.toThrow(VerificationError)
      parts.isOn = false
      const { hash } = (await chain.importBlocks(block, VERIFY)).block
      expect(hash).toBe(
        ((await ask(maker.standard, 'eth_getBlockByNumber', ['0x1', false])) as { hash: string }).hash,
      )
    },
  )

  it('works on a chain in a worker, with the same class of error', async () => {
    const maker = await start()
    const block = await seal(maker)
    const parts = altering(changeIncluded({ gasUsed: 21_001n }))
    const chain = await start(parts)
    const { remote } = await connectThrough((endpoint) => exposeChain(chain, endpoint))
    const error = await remote.importBlocks(block, VERIFY).catch((reason: Error) => reason)
    expect(error).toBeInstanceOf(VerificationError)
    expect(error).toMatchObject({ name: 'VerificationError', blockNumber: 1n })
    await expect(remote.importBlocks(block, { verify: 'geth' } as never)).rejects.toThrow(InvalidOptionError)
    parts.isOn = false
    expect((await remote.importBlocks(block, VERIFY)).block.number).toBe('0x1')
  })
})
