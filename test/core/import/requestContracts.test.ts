/** Imported blocks with and without the contracts of requests from Prague on (EIPs 7002, 7251). */
import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../src/base/bytes.ts'
import { toGethGenesis } from '../../../src/core/open/genesis.ts'
import { resolveOptions } from '../../../src/core/options.ts'
import { CONSOLIDATION_REQUESTS, WITHDRAWAL_REQUESTS } from '../../../src/ethereum/systemContracts.ts'
import { createManualClock, type GethGenesis, type Hardfork, type Hex } from '../../../src/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { dump } from '../sequencer/support.ts'

const WITHDRAWALS = `the withdrawal request contract (EIP-7002) at ${WITHDRAWAL_REQUESTS.address}`
const CONSOLIDATIONS = `the consolidation request contract (EIP-7251) at ${CONSOLIDATION_REQUESTS.address}`

/** A chain whose genesis has another account instead of a contract, or none. */
async function startWith(hardfork: Hardfork, address: Hex, account?: { code?: Hex; balance: Hex }) {
  const { alloc, ...rest } = toGethGenesis(resolveOptions({ hardfork }), [], 1_700_000_000n)
  const { [address]: _, ...others } = alloc as Record<Hex, { balance: Hex }>
  const genesis: GethGenesis = { ...rest, alloc: { ...others, ...(account && { [address]: account }) } }
  const start = () => startChain({ genesis, accounts: {}, clock: createManualClock() })
  return { genesis, here: await start(), elsewhere: await start() }
}

async function sealedBlock(chain: TestChain): Promise<Uint8Array> {
  await chain.clock.advance(1000)
  await chain.seal()
  return hexToBytes(await chain.standard.request({ method: 'debug_getRawBlock', params: ['latest'] }))
}

describe('the contracts of requests', () => {
  it.each([
    [
      'without a withdrawal request contract',
      WITHDRAWAL_REQUESTS.address,
      undefined,
      `${WITHDRAWALS} has no code`,
    ],
    [
      'with an account without code in its place',
      WITHDRAWAL_REQUESTS.address,
      { balance: '0x1' },
      `${WITHDRAWALS} has no code`,
    ],
    [
      'without a consolidation request contract',
      CONSOLIDATION_REQUESTS.address,
      undefined,
      `${CONSOLIDATIONS} has no code`,
    ],
    [
      'with a withdrawal request contract that reverts',
      WITHDRAWAL_REQUESTS.address,
      { balance: '0x0', code: '0x60006000fd' },
      `the call of ${WITHDRAWALS} failed: execution reverted`,
    ],
    [
      'with a consolidation request contract that fails',
      CONSOLIDATION_REQUESTS.address,
      { balance: '0x0', code: '0xfe' },
      `the call of ${CONSOLIDATIONS} failed: invalid opcode`,
    ],
  ] as const)(
    'rejects an import of a block %s, and changes nothing',
    async (_name, address, account, problem) => {
      for (const hardfork of ['prague', 'osaka'] as const) {
        const { genesis, here, elsewhere } = await startWith(hardfork, address, account)
        const block = await sealedBlock(elsewhere)
        const message = `block 1 cannot be imported: ${problem}`
        const before = await dump(here)
        await expect(here.importBlocks(block)).rejects.toMatchObject({ blockNumber: 1n, message })
        expect(await dump(here)).toEqual(before)
        const taken = startChain({ genesis, accounts: {}, clock: createManualClock(), blocks: block })
        await expect(taken).rejects.toMatchObject({ blockNumber: 1n, message })
      }
    },
  )

  it('imports a block before Prague without them', async () => {
    const { here, elsewhere } = await startWith('cancun', WITHDRAWAL_REQUESTS.address)
    const block = await sealedBlock(elsewhere)
    expect((await here.importBlocks(block)).block.number).toBe('0x1')
  })

  it('imports a block with a transaction that fails in one of them', async () => {
    const { here, elsewhere } = await startWith('prague', `0x${'00'.repeat(20)}`)
    const [sender] = elsewhere.accounts
    await elsewhere.standard.request({
      method: 'eth_sendTransaction',
      params: [{ from: sender!.address, to: WITHDRAWAL_REQUESTS.address, data: '0x01', gas: '0x186a0' }],
    })
    const block = await sealedBlock(elsewhere)
    expect((await here.importBlocks(block)).receipts).toMatchObject([{ status: '0x0' }])
  })
})
