/** The call tree of a purchase that fails two calls deep. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { createChain } from 'preseal'
import { explanationToText } from 'preseal/explain'
import { chainTransport, preseal } from 'preseal/viem'
import { createWalletClient, type Hex, publicActions } from 'viem'

const solc = createRequire(import.meta.url)('solc') as {
  compile(input: string): string
}
// #region contracts
const content = `
contract Coin {
  error NotApproved(address spender, uint256 amount);

  event Asked(address spender);

  mapping(address => mapping(address => uint256)) allowed;

  function take(address from, uint256 amount) external {
    emit Asked(msg.sender);
    if (allowed[from][msg.sender] < amount)
      revert NotApproved(msg.sender, amount);
  }
}

contract Shop {
  function buy(Coin coin, uint256 pieces) external {
    coin.take(msg.sender, pieces * 3);
  }
}
`
// #endregion contracts
const settings = {
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
}
const input = {
  language: 'Solidity',
  sources: { 'Shop.sol': { content } },
  settings,
}
const output = JSON.parse(solc.compile(JSON.stringify(input)))
const { Coin, Shop } = output.contracts['Shop.sol']

const chain = await createChain({ mining: 'auto' })
const client = createWalletClient({
  account: chain.accounts[0].address,
  chain: preseal,
  transport: chainTransport(chain),
}).extend(publicActions)
const deploy = async ({ abi, evm }: typeof Coin) => {
  const bytecode: Hex = `0x${evm.bytecode.object}`
  const hash = await client.deployContract({ abi, bytecode })
  const { contractAddress } = await client.getTransactionReceipt({ hash })
  return contractAddress!
}
const coin = await deploy(Coin)
const shop = await deploy(Shop)

// #region explain
// In a project: await loadArtifacts('out'), or 'artifacts', in place of this.
const artifacts = { input, output }

const hash = await client.writeContract({
  address: shop,
  abi: Shop.abi,
  functionName: 'buy',
  args: [coin, 2n],
  gas: 100_000n, // with a limit given, it is included though it fails
})
const explanation = await chain.explain(hash, { artifacts })
console.log(explanationToText(explanation))
// #endregion explain
// => sealed transaction 0x9d995ae037ef5f8611c9701b83687220f1c32488afc8443a799e3ded1b5bd0a9, in block 3: failed, 30055 gas
// =>   [30055] Shop::buy(Coin: [0x5fbdb2315678afecb367f032d93f642f64180aa3], 2)
// =>     ├─ [4458] Coin::take(0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266, 6)
// =>     │   ├─ emit Asked(spender: Shop: [0xe7f1725e7734ce288f8367e1bb143e90bb3f0512])
// =>     │   └─ ← [Revert] NotApproved(Shop: [0xe7f1725e7734ce288f8367e1bb143e90bb3f0512], 6)
// =>     └─ ← [Revert] NotApproved(Shop: [0xe7f1725e7734ce288f8367e1bb143e90bb3f0512], 6)

// #region data
type Frame = typeof explanation.root

/** The call in which a failure began. */
function originOf(frame: Frame): Frame {
  const inner = frame.items.findLast(
    (item): item is Frame => item.kind === 'frame' && 'error' in item,
  )
  return inner === undefined ? frame : originOf(inner)
}

const { contract, revert } = originOf(explanation.root)
assert.equal(`${contract}.${revert?.name}`, 'Coin.NotApproved')
assert.equal(revert?.args[1]?.value, 6n)
// #endregion data
await chain.close()
