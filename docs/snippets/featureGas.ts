/** A report of gas in any runner. */
// #region gas
import { createChain } from 'preseal'
import {
  createGasRecorder,
  createGasReport,
  formatGasReport,
} from 'preseal/gas'
import { chainTransport, preseal } from 'preseal/viem'
import { createWalletClient, publicActions } from 'viem'
import { Token } from '../../examples/contracts/token.ts'

const recorder = createGasRecorder()
const chain = await createChain({ mining: 'auto' })
recorder.watch(chain)

const [alice, bob] = chain.accounts.map(({ address }) => address)
const client = createWalletClient({
  account: alice!,
  chain: preseal,
  transport: chainTransport(chain),
}).extend(publicActions)
const hash = await client.deployContract(Token)
const { contractAddress } = await client.getTransactionReceipt({ hash })
const token = { address: contractAddress!, abi: Token.abi } as const
await client.writeContract({
  ...token,
  functionName: 'transfer',
  args: [bob!, 5n],
})

const report = await createGasReport([await recorder.record()], {
  artifacts: { Token },
})
console.log(formatGasReport(report))
// => Gas of transactions  count     min    mean  median     max  size
// => Token
// =>   constructor            1  389582  389582  389582  389582  1337
// =>   transfer               1   51504   51504   51504   51504
// #endregion gas
await chain.close()
