/** Calls through a proxy, and those that it serves itself. */
import { network } from 'hardhat'

const { ethers } = await network.create()

it('calls a proxy, and upgrades it', async () => {
  const [admin, other] = await ethers.getSigners()
  const box = await ethers.deployContract('Box')
  const next = await ethers.deployContract('NewBox')
  const proxy = await ethers.deployContract('AdminProxy', [box])
  const boxed = box.attach(await proxy.getAddress()).connect(other)
  const administration = new ethers.Interface(['function upgradeTo(address)'])
  const upgrade = async (to) => {
    const data = administration.encodeFunctionData('upgradeTo', [await to.getAddress()])
    await (await admin.sendTransaction({ to: proxy, data, gasLimit: 100_000n })).wait()
  }
  await (await boxed.set(1)).wait()
  await upgrade(next)
  await (await boxed.set(2)).wait()
  await upgrade(box)
  await (await boxed.set(3)).wait()
})
