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
  if (network !== 'preseal') return provider
  const { createChain } = require(process.env.PRESEAL ?? 'preseal')
  const chain = await createChain({ dialect: 'hardhat', mining: 'auto', accounts: { count: 20 } })
  return new InProcessProvider(provider, chain.standard)
})

/** @type {import('hardhat/config').HardhatUserConfig} */
module.exports = {
  solidity: {
    version: '0.8.37',
    settings: { optimizer: { enabled: true, runs: 200 }, evmVersion: 'prague' },
  },
  mocha: { timeout: 120_000 },
  networks: {
    hardhat: { hardfork: 'prague' },
    // Hardhat requires a URL; no request is sent to it.
    preseal: { url: 'http://in.process' },
    node: { url: process.env.NODE_URL ?? 'http://127.0.0.1:8545' },
  },
}
