import { MemoryLevel } from 'memory-level'
import {
  type Address,
  createPublicClient,
  custom,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  keccak256,
  multicall3Abi,
  parseAbi,
  stringToHex,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { InvalidOptionError } from '../../src/base/errors.ts'
import { GenesisMismatchError } from '../../src/core/ledger/errors.ts'
import { PREDEPLOYS, type Predeploy } from '../../src/core/options.ts'
import { createManualClock } from '../../src/index.ts'
import { genesisOf } from '../forks.ts'
import { startChain, type TestChain } from '../harness.ts'

/** Addresses and the hashes of their codes on Ethereum mainnet, with the nonces. */
const ON_MAINNET = {
  create2: [
    [
      '0x4e59b44847b379578588920ca78fbf26c0b4956c',
      '0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989',
      '0x1',
    ],
  ],
  multicall3: [
    [
      '0xca11bde05977b3631167028862be2a173976ca11',
      '0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891',
      '0x1',
    ],
  ],
  permit2: [
    [
      '0x000000000022d473030f116ddee9f6b43ac78ba3',
      '0xc67d1657868aa5146eaf24fb879fb1fdec3d2d493b3683a61c9c2f4fb2851131',
      '0x1',
    ],
  ],
  createx: [
    [
      '0xba5ed099633d3b313e4d5f7bdc1305d3c28ba5ed',
      '0xbd8a7ea8cfca7b4e5f5041d7d4b17bc317c5ce42cfbc42066a00cf26b43eb53f',
      '0x1',
    ],
  ],
  entrypoint: [
    [
      '0x0000000071727de22e5e9d8baf0edac6f37da032',
      '0x8db5ff695839d655407cc8490bb7a5d82337a86a6b39c3f0258aa6c3b582fc58',
      '0x2',
    ],
    [
      '0xefc2c1444ebcc4db75e7613d20c6a62ff67a167c',
      '0x283c9d14378f5f4c4e24045b87d621d48443fa5b4af7dd7180a599b3756a7689',
      '0x1',
    ],
  ],
  entrypoint08: [
    [
      '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
      '0x44e632a24c6f2600cbd5b5b8b4c2d372359112c8b5774297f5fd0a9e64f11f86',
      '0x2',
    ],
    [
      '0x449ed7c3e6fee6a97311d4b55475df59c44add33',
      '0xc69a1b3a000d570bc86eb096ee63a9014a17951ad616d720882ec61432b00fcf',
      '0x1',
    ],
  ],
} as const satisfies Record<Predeploy, readonly (readonly [Address, string, string])[]>

const PERMIT2 = ON_MAINNET.permit2[0][0]

const codeAt = ({ standard }: TestChain, address: Address) =>
  standard.request({ method: 'eth_getCode', params: [address] })

async function contractsOf(chain: TestChain, names: readonly Predeploy[] = PREDEPLOYS) {
  const all = names.flatMap((name) => [...ON_MAINNET[name]])
  return Promise.all(
    all.map(async ([address]) => [
      address,
      keccak256(await codeAt(chain, address)),
      await chain.standard.request({ method: 'eth_getTransactionCount', params: [address] }),
    ]),
  )
}

const clientOf = (chain: TestChain) => createPublicClient({ transport: custom(chain.standard) })

describe('predeploys', () => {
  it('have the codes and nonces of mainnet', async () => {
    const chain = await startChain({ predeploys: PREDEPLOYS })
    expect(await contractsOf(chain)).toEqual(Object.values(ON_MAINNET).flat())
  })

  it('are the CREATE2 proxy and Multicall3 by default, and with a list those of the list', async () => {
    const code = (chain: TestChain, name: Predeploy) => codeAt(chain, ON_MAINNET[name][0][0])
    const usual = await startChain()
    expect([await code(usual, 'create2'), await code(usual, 'multicall3')]).toEqual([
      expect.stringMatching(/^0x7f/),
      expect.stringMatching(/^0x60/),
    ])
    expect(await contractsOf(usual, ['create2', 'multicall3'])).toEqual([
      ...ON_MAINNET.create2,
      ...ON_MAINNET.multicall3,
    ])
    const none = await startChain({ predeploys: [] })
    expect([await code(none, 'create2'), await code(none, 'multicall3')]).toEqual(['0x', '0x'])
    const other = await startChain({ predeploys: ['multicall3'] })
    expect([await code(other, 'create2'), await code(other, 'multicall3')]).toEqual([
      '0x',
      expect.stringMatching(/^0x60/),
    ])
  })

  it('answer many calls as one: multicall3', async () => {
    const chain = await startChain()
    const address = ON_MAINNET.multicall3[0][0]
    const contract = { address, abi: multicall3Abi } as const
    const [balance, missing] = await clientOf(chain).multicall({
      multicallAddress: address,
      contracts: [
        { ...contract, functionName: 'getEthBalance', args: [chain.accounts[0].address] },
        { address, abi: parseAbi(['function missing() view returns (uint256)']), functionName: 'missing' },
      ],
    })
    expect(balance).toEqual({ status: 'success', result: 10_000n * 10n ** 18n })
    expect(missing.status).toBe('failure')
  })

  it.each([1, 31_337])('separates domains by chain id: permit2 on chain %i', async (chainId) => {
    const chain = await startChain({ chainId, predeploys: ['permit2'] })
    const abi = parseAbi(['function DOMAIN_SEPARATOR() view returns (bytes32)'])
    const separator = await clientOf(chain).readContract({
      address: PERMIT2,
      abi,
      functionName: 'DOMAIN_SEPARATOR',
    })
    const hashes = ['EIP712Domain(string name,uint256 chainId,address verifyingContract)', 'Permit2'].map(
      (text) => keccak256(stringToHex(text)),
    )
    expect(separator).toBe(
      keccak256(
        encodeAbiParameters(
          [{ type: 'bytes32' }, { type: 'bytes32' }, { type: 'uint256' }, { type: 'address' }],
          [hashes[0]!, hashes[1]!, BigInt(chainId), PERMIT2],
        ),
      ),
    )
  })

  it('deploys to an address that depends on neither the code nor the sender: createx', async () => {
    const chain = await startChain({ mining: 'auto', predeploys: ['createx'] })
    const address = ON_MAINNET.createx[0][0]
    const abi = parseAbi(['function deployCreate3(bytes32 salt, bytes initCode) payable returns (address)'])
    const salt = `0x${'00'.repeat(31)}07` as const
    const data = encodeFunctionData({
      abi,
      functionName: 'deployCreate3',
      args: [salt, '0x600160005360016000f3'],
    })
    const result = await clientOf(chain).call({ account: chain.accounts[0].address, to: address, data })
    const guarded = keccak256(salt)
    const proxy = getContractAddress({
      opcode: 'CREATE2',
      from: address,
      salt: guarded,
      bytecode: '0x67363d3d37363d34f03d5260086018f3',
    })
    const deployed = getContractAddress({ from: proxy, nonce: 1n })
    expect(result.data).toBe(`0x${deployed.slice(2).toLowerCase().padStart(64, '0')}`)
  })

  it.each(['entrypoint', 'entrypoint08'] as const)('knows its SenderCreator: %s', async (name) => {
    const chain = await startChain({ predeploys: [name] })
    const [[address], [creator]] = ON_MAINNET[name]
    const abi = parseAbi([
      'function senderCreator() view returns (address)',
      'function getNonce(address sender, uint192 key) view returns (uint256)',
      'function getSenderAddress(bytes initCode)',
      'error SenderAddressResult(address sender)',
    ])
    const client = clientOf(chain)
    const sender = chain.accounts[1]!.address
    const contract = { address, abi } as const
    expect(await client.readContract({ ...contract, functionName: 'getNonce', args: [sender, 5n] })).toBe(
      5n << 64n,
    )
    // The creator calls a factory without code, which returns nothing: no sender.
    const failure = await client
      .simulateContract({ ...contract, functionName: 'getSenderAddress', args: [sender] })
      .catch((error) => error.walk((one: { data?: unknown }) => one.data !== undefined).data)
    expect(failure).toMatchObject({ errorName: 'SenderAddressResult' })
    if (name === 'entrypoint08') {
      const known = await client.readContract({ ...contract, functionName: 'senderCreator' })
      expect(known.toLowerCase()).toBe(creator)
    }
  })

  it('can be added to a given genesis that does not have their addresses', async () => {
    const chain = await startChain({ genesis: genesisOf({}), predeploys: ['create2', 'multicall3'] })
    expect(await contractsOf(chain, ['create2', 'multicall3'])).toEqual([
      ...ON_MAINNET.create2,
      ...ON_MAINNET.multicall3,
    ])
  })

  it.each(['0x000000000022D473030F116dDEE9F6B43aC78BA3', '000000000022d473030f116ddee9f6b43ac78ba3'])(
    'are refused at an address that a given genesis has: %s',
    async (key) => {
      const started = startChain({
        genesis: genesisOf({ [key]: { balance: '0x1' } }),
        predeploys: ['permit2'],
      })
      await expect(started).rejects.toThrow(
        new InvalidOptionError(
          'predeploys',
          `contracts that genesis.alloc does not have: permit2 is at ${PERMIT2}`,
        ),
      )
    },
  )

  it.each([[['multicall2']], [['create2', 'create2']], ['create2'], [{}]])(
    'refuses the list %j',
    async (predeploys) => {
      await expect(startChain({ predeploys: predeploys as never })).rejects.toThrow(
        new InvalidOptionError('predeploys', `a list of ${PREDEPLOYS.join(', ')}, each at most once`),
      )
    },
  )

  it('stay those that a stored chain began with', async () => {
    const database = new MemoryLevel({ storeEncoding: 'view' })
    const open = (predeploys?: readonly Predeploy[]) =>
      startChain({ database, clock: createManualClock(1_700_000_000_000), ...(predeploys && { predeploys }) })
    const first = await open(['multicall3', 'entrypoint'])
    await first.seal()
    await first.finish()
    const again = await open()
    expect(await contractsOf(again, ['multicall3', 'entrypoint'])).toEqual([
      ...ON_MAINNET.multicall3,
      ...ON_MAINNET.entrypoint,
    ])
    await again.finish()
    await expect(open(['multicall3'])).rejects.toThrow(GenesisMismatchError)
  })
})
