/** The suite over OpenZeppelin's contracts on Hardhat's own network, by the plugin, and on a node over HTTP. */
import toolbox from '@nomicfoundation/hardhat-toolbox-mocha-ethers'
import preseal from 'preseal/hardhat'
import { solidity } from './solidity.js'

const simulated = { type: 'edr-simulated', hardfork: 'prague' }

export default {
  plugins: [preseal, toolbox],
  solidity: {
    ...solidity,
    settings: { optimizer: { enabled: true, runs: 200 }, evmVersion: 'prague' },
    npmFilesToBuild: [
      'ERC1967/ERC1967Proxy.sol',
      'beacon/BeaconProxy.sol',
      'beacon/UpgradeableBeacon.sol',
      'transparent/ProxyAdmin.sol',
      'transparent/TransparentUpgradeableProxy.sol',
    ].map((path) => `@openzeppelin/contracts/proxy/${path}`),
  },
  networks: {
    own: simulated,
    preseal: { ...simulated, preseal: true },
    served: { type: 'http', url: process.env.NODE_URL ?? 'http://127.0.0.1:8545' },
  },
  paths: { tests: 'test/openzeppelin' },
  test: { mocha: { timeout: 120_000 } },
}
