/** Hardhat's own network, a chain in its process, and a node over HTTP; the compiler by path: nothing is downloaded. */
require('@nomicfoundation/hardhat-chai-matchers')
require('@nomicfoundation/hardhat-ethers')
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names')
const { extendProvider, subtask } = require('hardhat/config')
const { ProviderWrapper } = require('hardhat/plugins')

subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async ({ solcVersion }) => ({
  compilerPath: require.resolve('solc/soljson.js'),
  isSolcJs: true,
  version: solcVersion,
  longVersion: solcVersion,
}))

/** A Hardhat provider that passes each request to another provider. */
class InProcessProvider extends ProviderWrapper {
  constructor(hardhat, inner) {
    super(hardhat)
    this.inner = inner
    inner.on('message', (message) => this.emit('message', message))
  }

  request(args) {
    return this.inner.request(args)
  }
}

extendProvider(async (provider, _config, network) => {
  if (network !== 'localhost') return provider
  const { createChain } = await import(process.env.PRESEAL ?? 'preseal')
  // The hardfork of Hardhat's own network below, before which a transaction may have the gas of a block.
  const options = { dialect: 'hardhat', hardfork: 'prague', mining: 'auto', accounts: { count: 20 } }
  const chain = await createChain(options)
  return new InProcessProvider(provider, chain.standard)
})

/** @type {import('hardhat/config').HardhatUserConfig} */
module.exports = {
  solidity: {
    version: '0.8.37',
    settings: { optimizer: { enabled: true, runs: 200 }, evmVersion: 'prague' },
  },
  mocha: { timeout: 120_000 },
  paths: { artifacts: 'node_modules/.artifacts', cache: 'node_modules/.cache' },
  networks: {
    hardhat: { hardfork: 'prague' },
    // No request is sent to its URL. On networks of this name alone hardhat-ethers estimates nothing, as on Hardhat's own.
    localhost: { url: 'http://in.process', gas: 30_000_000 },
    served: { url: process.env.NODE_URL ?? 'http://127.0.0.1:8545' },
  },
}
