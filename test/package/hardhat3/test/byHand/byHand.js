/** What a contract sees that reads return data, gas and memory by hand: printed, for calls and for a transaction. */
import { network } from 'hardhat'

const { ethers } = await network.create()

it('prints what it sees', async () => {
  const contract = await ethers.deployContract('ByHand')
  const encode = (name) => contract.interface.encodeFunctionData(name)
  const gas = { gasLimit: 1_000_000n }
  await (await contract.write(encode('gives'), gas)).wait()
  const returned = [
    await contract.run.staticCall(encode('fails'), gas).catch((error) => error.message),
    await contract.size.staticCall(encode('gives'), gas),
    await contract.created.staticCall(gas),
    await contract.written(0),
  ]
  const others = [await contract.gas(gas), await contract.memory_(gas)]
  for (const at of [1, 2, 3, 4]) others.push(await contract.written(at))
  process.stdout.write(`returned: ${returned}\nothers: ${others}\n`)
})
