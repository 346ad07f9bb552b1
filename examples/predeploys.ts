/** Contracts of mainnet: a deployment by the CREATE2 proxy, calls batched by Multicall3, a transfer signed for Permit2. */
import { createChain } from 'preseal'
import {
  concat,
  createWalletClient,
  custom,
  getContractAddress,
  maxUint256,
  multicall3Abi,
  parseAbi,
  publicActions,
  zeroHash,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { Token } from './contracts/token.ts'

const CREATE2_PROXY = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

const chain = await createChain({ mining: 'auto', predeploys: ['create2', 'multicall3', 'permit2'] })
const transport = custom(chain.standard)
const connect = (privateKey: `0x${string}`) =>
  createWalletClient({ account: privateKeyToAccount(privateKey), chain: foundry, transport }).extend(
    publicActions,
  )
const alice = connect(chain.accounts[0].privateKey)
const bob = connect(chain.accounts[1]!.privateKey)

// The address depends on the salt and the code alone: it is the same on every chain with the proxy.
await alice.sendTransaction({ to: CREATE2_PROXY, data: concat([zeroHash, Token.bytecode]) })
const address = getContractAddress({
  opcode: 'CREATE2',
  from: CREATE2_PROXY,
  salt: zeroHash,
  bytecode: Token.bytecode,
})
const token = { address, abi: Token.abi } as const
console.log(`the token is at ${address}: ${await alice.readContract({ ...token, functionName: 'symbol' })}`)
await chain.deal(address, alice.account.address, 100n)

// Alice approves Permit2 once. From then on a signature is enough, for any contract or account that she names in it.
await alice.writeContract({ ...token, functionName: 'approve', args: [PERMIT2, maxUint256] })
const permit = { permitted: { token: address, amount: 30n }, nonce: 0n, deadline: maxUint256 }
const signature = await alice.signTypedData({
  domain: { name: 'Permit2', chainId: chain.chainId, verifyingContract: PERMIT2 },
  types: {
    PermitTransferFrom: [
      { name: 'permitted', type: 'TokenPermissions' },
      { name: 'spender', type: 'address' },
      { name: 'nonce', type: 'uint256' },
      { name: 'deadline', type: 'uint256' },
    ],
    TokenPermissions: [
      { name: 'token', type: 'address' },
      { name: 'amount', type: 'uint256' },
    ],
  },
  primaryType: 'PermitTransferFrom',
  message: { ...permit, spender: bob.account.address },
})
await bob.writeContract({
  address: PERMIT2,
  abi: parseAbi([
    'function permitTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes signature)',
  ]),
  functionName: 'permitTransferFrom',
  args: [permit, { to: bob.account.address, requestedAmount: 30n }, alice.account.address, signature],
})

// One eth_call for all: balances of the token and of ether, at the same block.
const balanceOf = (owner: `0x${string}`) => ({ ...token, functionName: 'balanceOf', args: [owner] }) as const
const [alices, bobs, ether] = await bob.multicall({
  multicallAddress: MULTICALL3,
  allowFailure: false,
  contracts: [
    balanceOf(alice.account.address),
    balanceOf(bob.account.address),
    { address: MULTICALL3, abi: multicall3Abi, functionName: 'getEthBalance', args: [alice.account.address] },
  ],
})
console.log(`alice has ${alices}, bob ${bobs}; alice has paid fees: ${ether < 10_000n * 10n ** 18n}`)
await chain.close()
