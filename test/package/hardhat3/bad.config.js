/** Networks that contradict themselves, each in its own way. */
import preseal from 'preseal/hardhat'
import { solidity } from './solidity.js'

const network = { type: 'edr-simulated', preseal: true }
const forking = { url: 'http://127.0.0.1:9' }

export default {
  plugins: [preseal],
  solidity,
  networks: JSON.parse(process.env.NETWORKS ?? 'null') ?? {
    twice: { ...network, chainId: 5, preseal: { chainId: 5 } },
    http: { type: 'http', url: 'http://127.0.0.1:9', preseal: true },
    number: { ...network, preseal: 1 },
    unlimited: { ...network, blockGasLimit: false },
    old: { ...network, hardfork: 'london' },
    slow: { ...network, mining: { auto: false, interval: 2000 }, preseal: { preconfInterval: 3000 } },
    unforked: { ...network, preseal: { fork: { verify: true } } },
    dated: { ...network, forking, initialDate: '2020-01-01' },
    uncached: { ...network, forking, preseal: { fork: { offline: true } } },
    optimism: { ...network, chainType: 'op' },
  },
}
