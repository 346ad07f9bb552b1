// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Code for accounts that delegate to it (EIP-7702); any caller may use them.
contract Delegate {
    event Executed(address indexed account, address indexed caller, address indexed target, uint256 value, bytes output);

    receive() external payable {}

    /// Calls from the account, and reverts as the call does.
    function execute(address target, uint256 value, bytes calldata data) external payable returns (bytes memory) {
        (bool ok, bytes memory output) = target.call{value: value}(data);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(output, 32), mload(output))
            }
        }
        emit Executed(address(this), msg.sender, target, value, output);
        return output;
    }
}
