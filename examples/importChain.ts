/** Importing a chain: a new chain continues it from its genesis and the bytes of its blocks. */
import { createChain, createManualClock, type GethGenesis } from 'preseal'
import { concat, createPublicClient, createWalletClient, custom, hexToBytes, parseEther, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const blocksAt = { homesteadBlock: 0, eip150Block: 0, eip155Block: 0, eip158Block: 0, byzantiumBlock: 0 }
const since = { constantinopleBlock: 0, petersburgBlock: 0, istanbulBlock: 0, berlinBlock: 0, londonBlock: 0 }
const genesis: GethGenesis = {
  config: { chainId: foundry.id, ...blocksAt, ...since, mergeNetsplitBlock: 0, shanghaiTime: 0 },
  alloc: { [account.address]: { balance: toHex(parseEther('10')) } },
  gasLimit: '0x1c9c380',
}

const first = await createChain({ genesis, mining: 'manual', clock: createManualClock() })
const wallet = createWalletClient({ account, chain: foundry, transport: custom(first.preconf) })
for (const value of [1n, 2n, 3n]) {
  await wallet.sendTransaction({ to: `0x${'99'.repeat(20)}`, value: parseEther(`${value}`) })
  await first.seal()
}
const raw = await Promise.all(
  [1, 2, 3].map((number) => first.standard.request({ method: 'debug_getRawBlock', params: [toHex(number)] })),
)
await first.close()

// Every header, root and receipt is validated on import.
const second = await createChain({ genesis, blocks: hexToBytes(concat(raw)), mining: 'manual' })
const client = createPublicClient({ chain: foundry, transport: custom(second.standard) })
for (const blockNumber of [0n, 1n, 2n, 3n]) {
  const balance = await client.getBalance({ address: `0x${'99'.repeat(20)}`, blockNumber })
  console.log(`after block ${blockNumber}: ${balance / 10n ** 18n} ether`)
}
const { block } = await second.seal()
console.log(`continued with block ${Number(block.number)}`)
await second.close()
