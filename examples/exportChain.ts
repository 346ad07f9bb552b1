/** Exporting a chain: a fixture in JSON, from which each test begins with the same chain. */
import { createChain, createManualClock } from 'preseal'
import { createPublicClient, createWalletClient, custom, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

const stranger = `0x${'99'.repeat(20)}` as const

const first = await createChain({ mining: 'auto', clock: createManualClock() })
const [alice, bob] = first.accounts
const account = privateKeyToAccount(alice.privateKey)
const wallet = createWalletClient({ account, chain: foundry, transport: custom(first.standard) })
await wallet.sendTransaction({ to: bob!.address, value: parseEther('1') })
// The export includes the writes of cheats.
await first.setBalance(stranger, parseEther('5'))
await first.impersonateAccount(stranger)
const { hash } = (await first.seal()).block
const fixture = JSON.stringify(await first.export())
await first.close()

for (const name of ['one test', 'another']) {
  const chain = await createChain({ ...JSON.parse(fixture), clock: createManualClock() })
  const client = createPublicClient({ chain: foundry, transport: custom(chain.standard), cacheTime: 0 })
  const head = await client.getBlock()
  const ether = (await client.getBalance({ address: stranger })) / 10n ** 18n
  console.log(
    `${name} begins at block ${head.number}, the same: ${head.hash === hash}; the stranger has ${ether} ether`,
  )
  await chain.seal()
  await chain.close()
}
