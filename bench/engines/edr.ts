/** EDR without Hardhat, called as Hardhat 3's own provider calls it: JSON in, JSON out. */
import type { EdrContext } from '@nomicfoundation/edr'
import { type JsonRpcResponse, resultOf } from '../http.ts'
import { BLOCK_GAS_LIMIT, CHAIN_ID, type Engine, ONE_ETHER } from './engine.ts'

let context: Promise<EdrContext> | undefined

/** One process may hold only one context. */
async function createContext(): Promise<EdrContext> {
  const { EdrContext, L1_CHAIN_TYPE, l1ProviderFactory } = (await import('@nomicfoundation/edr')).default
  const created = new EdrContext()
  await created.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory())
  return created
}

export const engine: Engine = {
  name: 'edr',
  inProcess: true,

  async create({ accounts, others = [], automine = false, gasLimit = BLOCK_GAS_LIMIT, fork } = {}) {
    context ??= createContext()
    const edr = (await import('@nomicfoundation/edr')).default
    const hardfork = edr.l1HardforkFromString('prague')
    const provider = await (await context).createProvider(
      edr.L1_CHAIN_TYPE,
      {
        allowBlocksWithSameTimestamp: false,
        allowUnlimitedContractSize: false,
        bailOnCallFailure: true,
        bailOnTransactionFailure: true,
        chainId: BigInt(CHAIN_ID),
        coinbase: new Uint8Array(20),
        defaultTransactionGasLimit: gasLimit,
        genesisState: [
          // A forked node has the system contracts already.
          ...(fork === undefined ? edr.l1GenesisState(hardfork) : []),
          ...fund(accounts?.addresses ?? [], 10_000n * ONE_ETHER),
          ...fund(others, ONE_ETHER),
        ],
        hardfork: edr.l1HardforkToString(hardfork),
        initialBaseFeePerGas: 1_000_000_000n,
        minGasPrice: 0n,
        mining: {
          autoMine: automine,
          blockGasLimit: gasLimit,
          memPool: { order: edr.MineOrdering.Priority },
        },
        network:
          fork === undefined
            ? { genesisBlockGasLimit: gasLimit }
            : {
                url: fork.url,
                blockNumber: BigInt(fork.block),
                cacheDir: fork.cache,
                chainOverrides: [
                  {
                    chainId: BigInt(CHAIN_ID),
                    name: 'bench',
                    hardforkActivationOverrides: [
                      { condition: { blockNumber: 0n }, hardfork: edr.l1HardforkToString(hardfork) },
                    ],
                  },
                ],
              },
        networkId: BigInt(CHAIN_ID),
        observability: {},
        ownedAccounts: [],
        precompileOverrides: [],
      },
      { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
      { subscriptionCallback: () => {} },
      new edr.ContractDecoder(),
    )

    let id = 0
    async function request(method: string, params: readonly unknown[]): Promise<unknown> {
      id += 1
      const { data } = await provider.handleRequest(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      const response = (typeof data === 'string' ? JSON.parse(data) : data) as JsonRpcResponse
      return resultOf(method, response)
    }

    return {
      request,
      mine: async (blocks = 1) => {
        await request('hardhat_mine', [`0x${blocks.toString(16)}`])
      },
      // A provider cannot be closed; it is collected after its last reference.
      close: async () => {},
    }
  },
}

function fund(addresses: readonly string[], balance: bigint) {
  return addresses.map((address) => ({ address: Buffer.from(address.slice(2), 'hex'), balance }))
}
