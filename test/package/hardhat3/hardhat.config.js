/** The example of the plugin with its compiler by path, and networks with other options. */
import example from './example/hardhat.config.ts'
import { solidity } from './solidity.js'

/** The first account of Hardhat's mnemonic. */
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

const network = { type: 'edr-simulated', preseal: true }

export default {
  ...example,
  solidity,
  networks: {
    ...example.networks,
    'stated options': {
      ...network,
      accounts: [{ privateKey: KEY, balance: '5000000000000000000' }],
      allowUnlimitedContractSize: true,
      blockGasLimit: 20_000_000,
      chainId: 7,
      coinbase: `0x${'ab'.repeat(20)}`,
      hardfork: 'cancun',
      initialBaseFeePerGas: 5,
      initialDate: '2030-01-01T00:00:00Z',
    },
    'fixed fields': { ...network, gas: 123_456, gasPrice: 9_000_000_000 },
    'no errors': { ...network, throwOnCallFailures: false, throwOnTransactionFailures: false },
    derived: {
      ...network,
      accounts: {
        count: 2,
        initialIndex: 3,
        passphrase: 'word',
        path: "m/44'/60'/1'/0",
        accountsBalance: '7',
      },
    },
    'both ways': {
      type: 'edr-simulated',
      mining: { auto: true, interval: 2000, mempool: { order: 'fifo' } },
      preseal: { clock: 'manual' },
    },
    unreachable: { ...network, forking: { url: 'http://127.0.0.1:9' }, preseal: { fork: { timeout: 1000 } } },
    offline: {
      ...network,
      forking: { url: 'http://127.0.0.1:9' },
      preseal: { fork: { offline: true, cache: 'none' } },
    },
  },
  paths: { tests: process.env.TESTS ?? 'test/ethers' },
}
