/** Decodes a contract's custom error, which ethers does not when a send fails. */
import { Contract, ContractFactory, isCallException } from 'ethers'
import { createChain } from 'preseal'
import { PresealProvider } from 'preseal/ethers'
import { Token } from '../../examples/contracts/token.ts'

const chain = await createChain({ mining: 'auto' })
const [alice, bob] = chain.accounts
const signer = await new PresealProvider(chain).getSigner(alice.address)
const deployed = await new ContractFactory(
  Token.abi,
  Token.bytecode,
  signer,
).deploy()
const token = new Contract(await deployed.getAddress(), Token.abi, signer)

// #region decode
try {
  await token.getFunction('transfer')(bob!.address, 2n ** 200n)
} catch (error) {
  if (!isCallException(error)) throw error
  const decoded = token.interface.parseError(error.data!)
  console.log(decoded!.name)
}
// #endregion decode
// => InsufficientBalance
await chain.close()
