/** The call tree of a failed transaction: as text, as JSON and as a page of HTML. */
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createChain } from 'preseal'
import { explanationToHtml, explanationToText } from 'preseal/explain'
import { createWalletClient, custom, encodeFunctionData, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { Token } from './contracts/token.ts'

const chain = await createChain({ mining: 'manual' })
const [alice, bob] = chain.accounts
const account = privateKeyToAccount(alice.privateKey)
const wallet = createWalletClient({ account, chain: foundry, transport: custom(chain.live) })
const artifacts = { Token }

const deployed = await wallet.deployContract(Token)
const { block } = await chain.seal()
const { root: created } = await chain.explain(deployed, { artifacts })
console.log(`block ${Number(block.number)} has ${created.contract} at ${created.to}`)

// More than the whole supply.
const data = encodeFunctionData({
  abi: Token.abi,
  functionName: 'transfer',
  args: [bob!.address, parseEther('2000000')],
})
const hash = await wallet.sendTransaction({ to: created.to!, data, gas: 100_000n })
await chain.tick()
const explanation = await chain.explain(hash, { artifacts })
console.log(explanationToText(explanation))
await writeFile(join(tmpdir(), 'transfer.html'), explanationToHtml(explanation))

// A call is simulated, here with its storage writes.
const call = { from: alice.address, to: created.to!, data }
const { root } = await chain.explain(call, { artifacts, storage: true })
console.log(`the call ends with ${root.result}`)
await chain.close()
