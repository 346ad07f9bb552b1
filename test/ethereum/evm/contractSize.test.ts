import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { concatBytes, hexToBytes } from '../../../src/base/bytes.ts'
import { ImportError } from '../../../src/core/import/errors.ts'
import type { Hash, Hex } from '../../../src/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'

/** More than the 24,576 bytes of EIP-170. */
const CODE_SIZE = 30_000
/** Returns `CODE_SIZE` zeros as the code of the contract. */
const LARGE_CODE = `0x62${CODE_SIZE.toString(16).padStart(6, '0')}5ff3` as const
/** More than the 49,152 bytes of EIP-3860. */
const INIT_CODE_SIZE = 49_153
const LARGE_INIT_CODE = `0x${'00'.repeat(INIT_CODE_SIZE)}` as const
/** Runs CREATE on `INIT_CODE_SIZE` bytes of memory, and returns the address. */
const FACTORY = `0x62${INIT_CODE_SIZE.toString(16).padStart(6, '0')}5f5ff05f5260205ff3` as const
const GAS = '0x989680'

const UNLIMITED = { allowUnlimitedContractSize: true }

/** Deploys from the first account, and seals. */
async function deploy({ preconf, accounts, seal }: TestChain, data: Hex): Promise<Hash> {
  const from = accounts[0]!.address
  const hash = await preconf.request({ method: 'eth_sendTransaction', params: [{ from, data, gas: GAS }] })
  await seal()
  return hash
}

const receiptOf = (chain: TestChain, hash: Hash) => ask(chain.standard, 'eth_getTransactionReceipt', [hash])

describe('by default', () => {
  it('a creation fails if its code is too large, and so does CREATE with such code', async () => {
    const chain = await startChain()
    expect(await receiptOf(chain, await deploy(chain, LARGE_CODE))).toMatchObject({
      status: '0x0',
      gasUsed: GAS,
    })
    expect(await ask(chain.standard, 'eth_call', [{ data: FACTORY }])).toMatch(/^error -32000 .*initcode/)
  })

  it('a transaction with init code that is too large is rejected', async () => {
    const chain = await startChain()
    const [account] = chain.accounts
    const transaction = { from: account!.address, data: LARGE_INIT_CODE, gas: GAS }
    const refusal = 'error -32000 max initcode size exceeded: code size 49153 limit 49152'
    for (const method of ['eth_call', 'eth_estimateGas', 'eth_sendTransaction']) {
      expect(await ask(chain.standard, method, [transaction])).toBe(refusal)
    }
  })
})

describe('allowUnlimitedContractSize', () => {
  it('lets code of any size be deployed, estimated, called and simulated', async () => {
    const chain = await startChain(UNLIMITED)
    const hash = await deploy(chain, LARGE_CODE)
    const receipt = await chain.standard.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    expect(receipt).toMatchObject({ status: '0x1' })
    const address = receipt!.contractAddress!
    expect(await ask(chain.standard, 'eth_getCode', [address])).toBe(`${CODE_SIZE} zero bytes`)
    const call = { data: LARGE_CODE, gas: GAS }
    expect(await ask(chain.standard, 'eth_estimateGas', [{ data: LARGE_CODE }])).toBe(receipt!.gasUsed)
    expect(await ask(chain.standard, 'eth_call', [call])).toBe(`${CODE_SIZE} zero bytes`)
    expect(
      await ask(chain.preconf, 'eth_simulateV1', [{ blockStateCalls: [{ calls: [call] }] }]),
    ).toMatchObject([{ calls: [{ status: '0x1', returnData: `${CODE_SIZE} zero bytes` }] }])
    expect(
      await ask(chain.standard, 'debug_traceTransaction', [hash, { tracer: 'callTracer' }]),
    ).toMatchObject({
      type: 'CREATE',
      output: `${CODE_SIZE} zero bytes`,
    })
  })

  it('lets init code of any size create contracts, in transactions and within them', async () => {
    const chain = await startChain(UNLIMITED)
    expect(await receiptOf(chain, await deploy(chain, LARGE_INIT_CODE))).toMatchObject({ status: '0x1' })
    const created = await ask(chain.standard, 'eth_call', [{ data: FACTORY }])
    expect(BigInt(created as Hex)).toBeGreaterThan(0n)
  })

  it('applies to the replay of a stored chain, and to imported blocks', async () => {
    const database = new MemoryLevel<string, Uint8Array>({ valueEncoding: 'view' })
    const chain = await startChain({ ...UNLIMITED, database })
    await deploy(chain, LARGE_INIT_CODE)
    await deploy(chain, LARGE_CODE)
    const latest = await ask(chain.standard, 'eth_getBlockByNumber', ['latest', false])
    const blocks = await Promise.all(
      (['0x1', '0x2'] as const).map(async (number) =>
        hexToBytes(await chain.standard.request({ method: 'debug_getRawBlock', params: [number] })),
      ),
    )
    await chain.finish()

    const again = await startChain({ ...UNLIMITED, database })
    expect(await ask(again.standard, 'eth_getBlockByNumber', ['latest', false])).toEqual(latest)
    const importing = await startChain(UNLIMITED)
    expect((await importing.importBlocks(concatBytes(...blocks))).block.hash).toBe(
      (latest as { hash: Hash }).hash,
    )
    const limited = await startChain()
    await expect(limited.importBlocks(blocks[0]!)).rejects.toThrow(ImportError)
  })
})
