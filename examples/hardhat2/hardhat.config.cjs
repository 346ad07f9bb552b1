/** Hardhat 2 on a chain in its own process: a network for each view. */
require('@nomicfoundation/hardhat-chai-matchers')
require('@nomicfoundation/hardhat-ethers')
const { extendProvider } = require('hardhat/config')
const { ProviderWrapper } = require('hardhat/plugins')
const { createChain } = require('preseal')

const views = {
  preseal: (chain) => chain.standard,
  preconf: (chain) => chain.live,
}

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
  const view = views[network]
  if (view === undefined) return provider
  const chain = await createChain({
    accounts: { count: 20 },
    console: true,
    dialect: 'hardhat',
    mining: 'auto',
  })
  return new InProcessProvider(provider, view(chain))
})

/** @type {import('hardhat/config').HardhatUserConfig} */
module.exports = {
  solidity: '0.8.26',
  defaultNetwork: 'preseal',
  // Hardhat requires a URL; no request is sent to it.
  networks: { preseal: { url: 'http://in.process' }, preconf: { url: 'http://in.process' } },
}
