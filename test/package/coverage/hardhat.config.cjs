/** The contracts on Hardhat's own network, which solidity-coverage instruments, and on a chain of preseal; compilers by path. */
require('solidity-coverage')
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names')
const { extendProvider, subtask } = require('hardhat/config')
const { ProviderWrapper } = require('hardhat/plugins')

subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async ({ solcVersion }) => ({
  compilerPath: require.resolve(solcVersion.startsWith('0.5') ? 'solc-0.5/soljson.js' : 'solc/soljson.js'),
  isSolcJs: true,
  version: solcVersion,
  longVersion: solcVersion,
}))

/** A Hardhat provider whose requests a chain answers. */
class InProcessProvider extends ProviderWrapper {
  constructor(hardhat, chain) {
    super(hardhat)
    this.chain = chain
  }

  request(args) {
    return this.chain.standard.request(args)
  }
}

extendProvider(async (provider, _config, network) => {
  if (network !== 'preseal') return provider
  const { createChain } = await import('preseal')
  return new InProcessProvider(provider, await createChain({ dialect: 'hardhat', mining: 'auto' }))
})

module.exports = {
  solidity: {
    compilers: ['0.8.37', '0.5.16'].map((version) => ({ version })),
    overrides: { 'contracts/uniswap/UniswapV2Pair.sol': { version: '0.5.16' } },
  },
  mocha: {
    timeout: 120_000,
    rootHooks: {
      async beforeAll() {
        if (!process.env.COVERAGE) return
        const { clearCoverage, startCoverage } = await import('preseal/coverage')
        clearCoverage('ours')
        startCoverage()
      },
      async afterAll() {
        if (!process.env.COVERAGE) return
        const { reportCoverage, saveCoverage } = await import('preseal/coverage')
        saveCoverage('ours')
        await reportCoverage({
          artifacts: 'artifacts',
          folder: 'ours',
          reporters: ['html', 'json', 'lcovonly'],
        })
      },
    },
  },
  networks: { preseal: { url: 'http://in.process' } },
}
