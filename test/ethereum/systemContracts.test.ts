import { keccak256, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Hex } from '../../src/base/types.ts'
import { DEPOSIT_CONTRACT } from '../../src/ethereum/depositContract.ts'
import * as systemContracts from '../../src/ethereum/systemContracts.ts'
import { startChain, type TestChain } from '../harness.ts'

const contracts = { ...systemContracts, DEPOSIT_CONTRACT }
const { BEACON_ROOTS, BLOCK_HASHES, CONSOLIDATION_REQUESTS, WITHDRAWAL_REQUESTS } = contracts

const call = (chain: TestChain, to: Hex, data: Hex, at = 'latest') =>
  chain.standard.request({ method: 'eth_call', params: [{ to, data }, at] }) as Promise<Hex>
const word = (value: bigint | number | string) => numberToHex(BigInt(value), { size: 32 })

describe('the system contracts', () => {
  it('are at the addresses of their EIPs, with the code of mainnet', () => {
    // Sorted, as the order of a module's exports differs between runtimes.
    const sorted = Object.entries(contracts).sort(([a], [b]) => (a < b ? -1 : 1))
    const hashes = sorted.map(([name, { address, code }]) => [name, address, keccak256(code)])
    expect(hashes).toMatchInlineSnapshot(`
      [
        [
          "BEACON_ROOTS",
          "0x000f3df6d732807ef1319fb7b8bb8522d0beac02",
          "0xf57acd40259872606d76197ef052f3d35588dadf919ee1f0e3cb9b62d3f4b02c",
        ],
        [
          "BLOCK_HASHES",
          "0x0000f90827f1c53a10cb7a02335b175320002935",
          "0x6e49e66782037c0555897870e29fa5e552daf4719552131a0abce779daec0a5d",
        ],
        [
          "CONSOLIDATION_REQUESTS",
          "0x0000bbddc7ce488642fb579f8b00f3a590007251",
          "0x78c6cb5202685228bbcbfb992b1c4e116c7ec5ef11e25b8e92716cfc628ddd60",
        ],
        [
          "CREATE2_PROXY",
          "0x4e59b44847b379578588920ca78fbf26c0b4956c",
          "0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989",
        ],
        [
          "DEPOSIT_CONTRACT",
          "0x00000000219ab540356cbb839cbe05303d7705fa",
          "0x2034f79e0e33b0ae6bef948532021baceb116adf2616478703bec6b17329f1cc",
        ],
        [
          "WITHDRAWAL_REQUESTS",
          "0x00000961ef480eb55e80d19ad83579a64c007002",
          "0x0345a365d2f4c5975b9f1599abe0a2ee76b7a3a731bc68781bd04c84e4858f50",
        ],
      ]
    `)
  })

  it('are part of every default genesis', async () => {
    for (const hardfork of ['paris', 'osaka'] as const) {
      const chain = await startChain({ hardfork })
      for (const { address, code, nonce } of Object.values(contracts)) {
        const at = { params: [address, 'earliest'] }
        expect(await chain.standard.request({ method: 'eth_getCode', ...at })).toBe(code)
        expect(await chain.standard.request({ method: 'eth_getTransactionCount', ...at })).toBe(
          numberToHex(nonce),
        )
      }
    }
  })
})

describe('EIP-4788', () => {
  it('answers the beacon root of a block by its timestamp, and reverts for any other', async () => {
    const chain = await startChain()
    const { block } = await chain.seal()
    expect(await call(chain, BEACON_ROOTS.address, word(block.timestamp))).toBe(word(0))
    await expect(call(chain, BEACON_ROOTS.address, word(BigInt(block.timestamp) + 1n))).rejects.toMatchObject(
      {
        message: 'execution reverted',
      },
    )
    const index = BigInt(block.timestamp) % 8191n
    const slot = { method: 'eth_getStorageAt', params: [BEACON_ROOTS.address, numberToHex(index), 'latest'] }
    expect(await chain.standard.request(slot)).toBe(word(block.timestamp))
  })
})

describe('EIP-2935', () => {
  it('answers the hashes of blocks by number, up to the parent of the calling block', async () => {
    const chain = await startChain()
    const hashes: Hex[] = []
    for (let i = 0; i < 3; i++) hashes.push((await chain.seal()).block.hash)
    // A call runs in the head, whose start wrote the hash of its parent.
    expect(await call(chain, BLOCK_HASHES.address, word(1))).toBe(hashes[0])
    expect(await call(chain, BLOCK_HASHES.address, word(2))).toBe(hashes[1])
    await expect(call(chain, BLOCK_HASHES.address, word(4))).rejects.toMatchObject({
      message: 'execution reverted',
    })
    const pending = { method: 'eth_call', params: [{ to: BLOCK_HASHES.address, data: word(3) }, 'pending'] }
    expect(await chain.preconf.request(pending)).toBe(hashes[2])
  })
})

describe('EIP-7002 and EIP-7251', () => {
  it.each([
    ['withdrawals', WITHDRAWAL_REQUESTS.address],
    ['consolidations', CONSOLIDATION_REQUESTS.address],
  ])('ask the least fee for %s while there are none', async (_name, address) => {
    const chain = await startChain()
    // Until the end of the first block, the excess marks the fork as inactive.
    await chain.seal()
    expect(await call(chain, address, '0x')).toBe(word(1))
  })
})

describe('the deposit contract', () => {
  it('has the root and the count of no deposits', async () => {
    const chain = await startChain()
    expect(await call(chain, DEPOSIT_CONTRACT.address, '0xc5f2892f')).toBe(
      '0xd70a234731285c6804c2a4f56711ddb8c82c99740f207854891028af34e27e5e',
    )
    const count = await call(chain, DEPOSIT_CONTRACT.address, '0x621fd130')
    expect(count).toBe(`${word(32)}${word(8).slice(2)}${'00'.repeat(32)}`)
  })
})
