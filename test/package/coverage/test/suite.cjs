/** A suite that both networks run, by requests alone; parts of the contracts stay unused on purpose. */
const assert = require('node:assert')
const { BrowserProvider, ContractFactory, parseEther, ZeroAddress, MaxUint256 } = require('ethers')
const { artifacts, network } = require('hardhat')

const provider = new BrowserProvider(network.provider, undefined, { cacheTimeout: -1 })
// A limit of its own: an estimate would be an execution more.
const LIMITED = { gasLimit: 8_000_000 }

async function deploy(name, ...args) {
  const { abi, bytecode } = await artifacts.readArtifact(name)
  const signer = await provider.getSigner(0)
  const contract = await new ContractFactory(abi, bytecode, signer).deploy(...args, LIMITED)
  return contract.waitForDeployment()
}

/** Sends a transaction with these arguments, and waits for its receipt. */
async function send(contract, method, ...args) {
  const last = args.at(-1)
  const options = typeof last === 'object' && !Array.isArray(last) ? args.pop() : {}
  const sent = await contract[method](...args, { ...LIMITED, ...options })
  return sent.wait()
}

const fails = (contract, method, ...args) => assert.rejects(contract[method].staticCall(...args))

describe('the contracts of packages', () => {
  let owner, other
  before(async () => {
    owner = await provider.getSigner(0)
    other = await provider.getSigner(1)
  })

  it('moves the token of OpenZeppelin', async () => {
    const token = await deploy('StoppableToken', 1000n)
    await send(token, 'transfer', other.address, 100n)
    await send(token, 'approve', other.address, 50n)
    await send(token.connect(other), 'transferFrom', owner.address, other.address, 20n)
    await send(token, 'approve', other.address, MaxUint256)
    await send(token.connect(other), 'transferFrom', owner.address, other.address, 20n)
    await fails(token.connect(other), 'transfer', owner.address, 1000n)
    await fails(token, 'transfer', ZeroAddress, 1n)
    await send(token, 'burn', 5n)
    assert.equal(await token.balanceOf(other.address), 140n)
    assert.equal(await token.symbol(), 'STOP')
  })

  it('stops the token of OpenZeppelin', async () => {
    const token = await deploy('StoppableToken', 1000n)
    await fails(token.connect(other), 'stop', true)
    await send(token, 'stop', true)
    await fails(token, 'transfer', other.address, 1n)
    await send(token, 'stop', false)
    await send(token, 'transferOwnership', other.address)
    assert.equal(await token.owner(), other.address)
  })

  it('wraps ether with solmate, and counts pure calls', async () => {
    const weth = await deploy('OwnedWETH')
    await send(weth, 'deposit', { value: parseEther('2') })
    await (await owner.sendTransaction({ to: await weth.getAddress(), value: 5n, ...LIMITED })).wait()
    await send(weth, 'withdraw', parseEther('1'))
    await send(weth, 'transfer', other.address, 7n)
    await send(weth, 'setFee', 3n)
    await fails(weth.connect(other), 'setFee', 4n)
    assert.equal(await weth.feeOf(parseEther('2'), 3n), 6n)
    assert.equal(await weth.root(81n), 9n)
  })

  it("trades in a pair of Uniswap's", async () => {
    const factory = await deploy('UniswapV2Factory', owner.address)
    const [one, two] = [await deploy('StoppableToken', parseEther('1000')), await deploy('OwnedWETH')]
    await send(two, 'deposit', { value: parseEther('1000') })
    await send(factory, 'createPair', await one.getAddress(), await two.getAddress())
    await fails(factory, 'createPair', await one.getAddress(), await two.getAddress())
    const { abi } = await artifacts.readArtifact('UniswapV2Pair')
    const at = await factory.getPair(await one.getAddress(), await two.getAddress())
    const pair = new (require('ethers').Contract)(at, abi, owner)
    await send(one, 'transfer', at, parseEther('10'))
    await send(two, 'transfer', at, parseEther('40'))
    await send(pair, 'mint', owner.address)
    const isOne = (await pair.token0()) === (await one.getAddress())
    await send(one, 'transfer', at, parseEther('1'))
    const amounts = isOne ? [0n, parseEther('3')] : [parseEther('3'), 0n]
    await send(pair, 'swap', ...amounts, owner.address, '0x')
    await fails(pair, 'swap', 0n, 0n, owner.address, '0x')
    await send(pair, 'transfer', at, parseEther('5'))
    await send(pair, 'burn', owner.address)
    await send(pair, 'sync')
    assert.equal((await pair.getReserves()).length, 3)
    await send(factory, 'setFeeTo', other.address)
    await fails(factory.connect(other), 'setFeeTo', other.address)
  })
})
