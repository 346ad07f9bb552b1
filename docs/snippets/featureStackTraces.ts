/** Lines of Solidity on the error of a failed call, with build info of solc. */
// #region all
import { createRequire } from 'node:module'
import { createChain } from 'preseal'
import { showSolidityTrace } from 'preseal/errors'
import { chainTransport, preseal } from 'preseal/viem'
import { createWalletClient, type Hex, publicActions } from 'viem'

const solc = createRequire(import.meta.url)('solc') as {
  compile(input: string): string
}
const content = `contract Vault {
  mapping(address => uint256) balances;

  function withdraw(uint256 amount) public {
    _take(amount);
  }

  function _take(uint256 amount) internal {
    balances[msg.sender] -= amount;
  }
}
`
const input = {
  language: 'Solidity',
  sources: { 'contracts/Vault.sol': { content } },
  settings: {
    outputSelection: {
      '*': {
        '*': [
          'abi',
          'evm.bytecode',
          'evm.deployedBytecode',
          'evm.methodIdentifiers',
        ],
      },
    },
  },
}
const output = JSON.parse(solc.compile(JSON.stringify(input)))
const { abi, evm } = output.contracts['contracts/Vault.sol'].Vault
const bytecode: Hex = `0x${evm.bytecode.object}`

// #region chain
// In a project: 'artifacts' (Hardhat) or 'out' (Foundry) in place of this.
const chain = await createChain({
  mining: 'auto',
  stackTraces: [{ input, output }],
})
// #endregion chain
const client = createWalletClient({
  account: chain.accounts[0].address,
  chain: preseal,
  transport: chainTransport(chain),
}).extend(publicActions)
const hash = await client.deployContract({ abi, bytecode })
const { contractAddress: address } = await client.getTransactionReceipt({
  hash,
})

// #region show
try {
  await client.writeContract({
    address: address!,
    abi,
    functionName: 'withdraw',
    args: [1n],
  })
} catch (error) {
  const { stack } = showSolidityTrace(error as Error)
  console.log(
    stack!.slice(
      stack!.indexOf('Solidity:'),
      stack!.indexOf('\n', stack!.indexOf('Vault.withdraw')),
    ),
  )
}
// #endregion show
// => Solidity: reverted with the panic 0x11 (arithmetic underflow or overflow)
// =>     at Vault._take (contracts/Vault.sol:9:5)
// =>     at Vault.withdraw (contracts/Vault.sol:5:5)

// #region receipt
const sent = await client.writeContract({
  address: address!,
  abi,
  functionName: 'withdraw',
  args: [1n],
  gas: 100_000n,
})
const { solidity } = await chain.explain(sent)
console.log(solidity?.message)
console.log(solidity?.stack)
// #endregion receipt
// => reverted with the panic 0x11 (arithmetic underflow or overflow)
// =>     at Vault._take (contracts/Vault.sol:9:5)
// =>     at Vault.withdraw (contracts/Vault.sol:5:5)
await chain.close()
// #endregion all
